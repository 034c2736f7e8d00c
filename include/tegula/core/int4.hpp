#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// Two 4-bit integers in a byte, element 0 in the low half. Trivial. Values out of range are clamped:
/// to [-8, 7] if signed, else to [0, 15].
template <bool Signed>
struct packed_int4
{
    static constexpr int min() { return Signed ? -8 : 0; }
    static constexpr int max() { return Signed ? 7 : 15; }

    std::uint8_t bits;

    packed_int4() = default;
    constexpr TEGULA_HOST_DEVICE packed_int4(int element0, int element1)
        : bits(static_cast<std::uint8_t>(clamp(element0) | (clamp(element1) << 4)))
    {}

    static constexpr TEGULA_HOST_DEVICE packed_int4 from_bits(std::uint8_t pattern)
    {
        packed_int4 x{};
        x.bits = pattern;
        return x;
    }

    /// Element i, 0 or 1.
    constexpr TEGULA_HOST_DEVICE int operator[](int i) const
    {
        const int digit = (bits >> (4 * i)) & 15;
        return Signed ? (digit ^ 8) - 8 : digit;
    }
    constexpr TEGULA_HOST_DEVICE void set(int i, int value)
    {
        bits = static_cast<std::uint8_t>((bits & (0xf0 >> (4 * i))) | (clamp(value) << (4 * i)));
    }

    friend constexpr TEGULA_HOST_DEVICE bool operator==(packed_int4 a, packed_int4 b) { return a.bits == b.bits; }

private:
    static constexpr TEGULA_HOST_DEVICE int clamp(int value)
    {
        constexpr int low = Signed ? -8 : 0, high = Signed ? 7 : 15;
        return (value < low ? low : value > high ? high : value) & 15;
    }
};

using int4x2 = packed_int4<true>;
using uint4x2 = packed_int4<false>;

} // namespace tegula
