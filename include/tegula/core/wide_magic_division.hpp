#pragma once

#include <tegula/core/magic_division.hpp>

namespace tegula {

/// Quotient and remainder of a division in 64 bits.
struct wide_quotient_remainder
{
    long_index_t quotient;
    long_index_t remainder;
};

/// magic_divisor in 64 bits, by its formula with 2^64 for 2^32. Exact for 0 <= x < 2^63 and 1 <= divisor < 2^63.
/// It is constructed on the host. A divisor of 0 is allowed: divide(x) then gives x as quotient and as remainder.
class wide_magic_divisor
{
public:
    constexpr wide_magic_divisor() = default;
    constexpr explicit wide_magic_divisor(long_index_t divisor) : divisor_(divisor)
    {
        const std::uint64_t d = divisor > 0 ? static_cast<std::uint64_t>(divisor) : 1;
        while ((std::uint64_t{1} << shift_) < d)
            ++shift_;
        const wide excess = (std::uint64_t{1} << shift_) - d;
        multiplier_ = static_cast<std::uint64_t>((excess << 64) / d + 1);
    }

    constexpr TEGULA_INLINE long_index_t value() const { return divisor_; }

    constexpr TEGULA_INLINE wide_quotient_remainder divide(long_index_t x) const
    {
        const auto dividend = static_cast<std::uint64_t>(x);
        const auto high = static_cast<std::uint64_t>((wide{dividend} * multiplier_) >> 64);
        const std::uint64_t quotient = (high + dividend) >> shift_;
        return {static_cast<long_index_t>(quotient),
                static_cast<long_index_t>(dividend - quotient * static_cast<std::uint64_t>(divisor_))};
    }

private:
    __extension__ typedef unsigned __int128 wide;

    long_index_t divisor_ = 1;
    std::uint64_t multiplier_ = 1;
    std::uint32_t shift_ = 0;
};

} // namespace tegula
