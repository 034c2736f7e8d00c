#pragma once

#include <tegula/core/float_format.hpp>

namespace tegula {

namespace detail {
// The sign, exponent and upper mantissa of a float: 19 bits, kept in the upper bits of the stored word.
using tfloat32_format = float_format<std::uint32_t, 8, 10, 127, float_specials::ieee, overflow::special>;
} // namespace detail

/// A float rounded to 10 mantissa bits, ties to even, the operand of tf32 matrix instructions; 32 bits, the last 13 of
/// them zero. Past the largest: infinity. NaN stays NaN. Trivial. Conversions and comparison as for small_float.
struct tfloat32
{
    using format = detail::tfloat32_format;
    using bits_type = std::uint32_t;

    bits_type bits;

    tfloat32() = default;
    template <class T>
        requires std::is_floating_point_v<T>
    constexpr TEGULA_HOST_DEVICE explicit tfloat32(T x, overflow policy = overflow::special)
        : bits(detail::encode_float<detail::tfloat32_format>(x, policy) << 13)
    {}
    template <detail::small_integer T>
    constexpr TEGULA_HOST_DEVICE explicit tfloat32(T x) : tfloat32(static_cast<double>(x))
    {}
    template <class Format>
    constexpr TEGULA_HOST_DEVICE explicit tfloat32(small_float<Format> x) : tfloat32(static_cast<float>(x))
    {}

    /// `pattern` is that of a float; its last 13 bits must be zero.
    static constexpr TEGULA_HOST_DEVICE tfloat32 from_bits(std::uint32_t pattern)
    {
        tfloat32 x{};
        x.bits = pattern;
        return x;
    }

    template <class T>
        requires std::is_arithmetic_v<T>
    constexpr TEGULA_HOST_DEVICE explicit operator T() const
    {
        return static_cast<T>(__builtin_bit_cast(float, bits));
    }

    friend constexpr TEGULA_HOST_DEVICE bool operator==(tfloat32 a, tfloat32 b)
    {
        return static_cast<float>(a) == static_cast<float>(b);
    }
};

} // namespace tegula
