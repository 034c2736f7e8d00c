#pragma once

#include <tegula/core/float8.hpp>

/// The formats of a block's scale: a power of two for the Microscaling formats, a float8_e4m3 without sign for NVFP4.

namespace tegula {

/// How a scale that is no power of two is rounded: up or down (PTX `.rp` and `.rz`).
enum class scale_rounding { up, down };

/// 2^(bits - 127) for bits below 255; 255 is NaN. No sign, no zero, no infinity (Microscaling Formats 1.0, 5.4).
struct float8_e8m0
{
    static constexpr int bias = 127;
    static constexpr std::uint8_t max_bits = 254, nan_bits = 255;

    std::uint8_t bits;

    float8_e8m0() = default;

    /// The neighbouring power of two of x >= 0. Numbers below 2^-127, zero among them, become 2^-127; numbers above
    /// 2^127, infinity among them, become 2^127. NaN and negative numbers become NaN.
    constexpr TEGULA_HOST_DEVICE explicit float8_e8m0(float x, scale_rounding rounding = scale_rounding::up)
        : bits(encode(__builtin_bit_cast(std::uint32_t, x), rounding))
    {}

    static constexpr TEGULA_HOST_DEVICE float8_e8m0 from_bits(std::uint32_t pattern)
    {
        float8_e8m0 x{};
        x.bits = static_cast<std::uint8_t>(pattern);
        return x;
    }
    /// 2^exponent, for exponents from -127 to 127; others are clamped.
    static constexpr TEGULA_HOST_DEVICE float8_e8m0 power(int exponent)
    {
        const int biased = exponent + bias;
        return from_bits(static_cast<std::uint32_t>(biased < 0 ? 0 : biased > max_bits ? max_bits : biased));
    }

    constexpr TEGULA_HOST_DEVICE bool is_nan() const { return bits == nan_bits; }
    constexpr TEGULA_HOST_DEVICE int exponent() const { return bits - bias; }

    constexpr TEGULA_HOST_DEVICE explicit operator float() const
    {
        const std::uint32_t smallest = 0x00400000u, quiet_nan = 0x7fc00000u; // 2^-127 is subnormal
        const std::uint32_t pattern = bits == 0          ? smallest
                                      : bits == nan_bits ? quiet_nan
                                                         : static_cast<std::uint32_t>(bits) << 23;
        return __builtin_bit_cast(float, pattern);
    }
    constexpr TEGULA_HOST_DEVICE explicit operator double() const { return static_cast<float>(*this); }

    friend constexpr TEGULA_HOST_DEVICE bool operator==(float8_e8m0 a, float8_e8m0 b)
    {
        return a.bits == b.bits && !a.is_nan();
    }

private:
    static constexpr TEGULA_HOST_DEVICE std::uint8_t encode(std::uint32_t pattern, scale_rounding rounding)
    {
        constexpr std::uint32_t infinity = 0x7f800000u, fraction = 0x007fffffu, smallest = 0x00400000u;
        const std::uint32_t magnitude = pattern & 0x7fffffffu;
        if (magnitude > infinity || (pattern != magnitude && magnitude != 0))
            return nan_bits;
        std::uint32_t biased = magnitude >> 23;
        const bool above = biased == 0 ? magnitude > smallest : (magnitude & fraction) != 0;
        if (rounding == scale_rounding::up && above)
            ++biased;
        return static_cast<std::uint8_t>(biased > max_bits ? max_bits : biased);
    }
};

/// A float8_e4m3 whose sign is never set: from 0 to 448, 0x7f is NaN.
struct float8_ue4m3
{
    std::uint8_t bits;

    float8_ue4m3() = default;

    /// x >= 0 rounded to nearest even; numbers above 448 become 448. NaN and negative numbers become NaN.
    constexpr TEGULA_HOST_DEVICE explicit float8_ue4m3(float x)
        : bits(x >= 0 ? static_cast<std::uint8_t>(float8_e4m3(x).bits & 0x7fu) : std::uint8_t{0x7f})
    {}

    static constexpr TEGULA_HOST_DEVICE float8_ue4m3 from_bits(std::uint32_t pattern)
    {
        float8_ue4m3 x{};
        x.bits = static_cast<std::uint8_t>(pattern);
        return x;
    }

    constexpr TEGULA_HOST_DEVICE bool is_nan() const { return bits == 0x7f; }
    constexpr TEGULA_HOST_DEVICE explicit operator float() const
    {
        return static_cast<float>(float8_e4m3::from_bits(bits));
    }
    constexpr TEGULA_HOST_DEVICE explicit operator double() const { return static_cast<float>(*this); }

    friend constexpr TEGULA_HOST_DEVICE bool operator==(float8_ue4m3 a, float8_ue4m3 b)
    {
        return a.bits == b.bits && !a.is_nan();
    }
};

} // namespace tegula
