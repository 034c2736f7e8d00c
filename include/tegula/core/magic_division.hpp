#pragma once

#include <tegula/core/sequence.hpp>

namespace tegula {

/// Quotient and remainder of a division by a length.
struct quotient_remainder
{
    index_t quotient;
    index_t remainder;
};

/// Division by a run-time length with one multiplication. Exact for 0 <= x < 2^31 and a divisor from 1 to 2^31 - 1.
///
/// quotient = (high32(x * multiplier) + x) >> shift, with shift = ceil(log2(divisor)) and
/// multiplier = floor(2^32 * (2^shift - divisor) / divisor) + 1 (Granlund and Montgomery, "Division by invariant
/// integers using multiplication", 1994, figure 4.1). The sum stays below 2^32 because x < 2^31.
/// A divisor of 0, the length of an empty dimension, is allowed: an empty dimension has no index to divide.
/// divide(x) does not trap, but quotient and remainder are both x.
class magic_divisor
{
public:
    constexpr magic_divisor() = default;
    constexpr TEGULA_HOST_DEVICE explicit magic_divisor(index_t divisor) : divisor_(divisor)
    {
        const std::uint64_t d = divisor > 0 ? static_cast<std::uint64_t>(divisor) : 1;
        while ((std::uint64_t{1} << shift_) < d)
            ++shift_;
        multiplier_ = static_cast<std::uint32_t>((((std::uint64_t{1} << shift_) - d) << 32) / d + 1);
    }

    constexpr TEGULA_INLINE index_t value() const { return divisor_; }

    constexpr TEGULA_INLINE quotient_remainder divide(index_t x) const
    {
        const auto dividend = static_cast<std::uint32_t>(x);
        const auto high = static_cast<std::uint32_t>((std::uint64_t{dividend} * multiplier_) >> 32);
        const std::uint32_t quotient = (high + dividend) >> shift_;
        return {static_cast<index_t>(quotient),
                static_cast<index_t>(dividend - quotient * static_cast<std::uint32_t>(divisor_))};
    }

private:
    index_t divisor_ = 1;
    std::uint32_t multiplier_ = 1;
    std::uint32_t shift_ = 0;
};

/// Division by a length known at compile time. Precondition of divide(): x >= 0. It is unsigned, so that the compiler
/// emits only shifts and multiplications. A divisor of 0 gives the quotient x and the remainder 0.
template <index_t Divisor>
struct static_divisor
{
    static_assert(Divisor >= 0, "tegula: a length must not be negative");

    static constexpr TEGULA_INLINE constant<Divisor> value() { return {}; }

    static constexpr TEGULA_INLINE quotient_remainder divide(index_t x)
    {
        constexpr std::uint32_t d = Divisor > 0 ? Divisor : 1;
        const auto dividend = static_cast<std::uint32_t>(x);
        return {static_cast<index_t>(dividend / d), static_cast<index_t>(dividend % d)};
    }
};

/// The divisor of a length: constant<N> or index_t.
template <index_t N>
constexpr TEGULA_INLINE static_divisor<N> make_divisor(constant<N>)
{
    return {};
}
constexpr TEGULA_INLINE magic_divisor make_divisor(index_t length) { return magic_divisor(length); }

} // namespace tegula
