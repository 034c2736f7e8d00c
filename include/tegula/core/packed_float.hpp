#pragma once

#include <tegula/core/float_format.hpp>

namespace tegula {

/// Neighbouring values of a format of fewer than 8 bits that together fill whole bytes: two of 4 bits in one byte, four
/// of 6 bits in three. Element 0 has the lowest bits of byte 0. There are no gaps. Trivial.
template <class Format>
struct packed_float
{
    using format = Format;
    using value_type = small_float<Format>;
    static constexpr int width = Format::width;
    static_assert(width == 4 || width == 6, "tegula: formats of 4 and of 6 bits are packed; others fill whole bytes");
    /// Elements in one object.
    static constexpr int size = width == 4 ? 2 : 4;
    static constexpr int bytes = size * width / 8;

    std::uint8_t bits[bytes];

    /// Element i of [0, size).
    constexpr TEGULA_HOST_DEVICE value_type operator[](int i) const
    {
        return value_type::from_bits((word() >> (width * i)) & mask);
    }
    constexpr TEGULA_HOST_DEVICE void set(int i, value_type x)
    {
        const std::uint32_t others = word() & ~(mask << (width * i));
        const std::uint32_t all = others | static_cast<std::uint32_t>(x.bits) << (width * i);
        for (int b = 0; b < bytes; ++b)
            bits[b] = static_cast<std::uint8_t>(all >> (8 * b));
    }

    /// The patterns are equal; the two zeros differ.
    friend constexpr TEGULA_HOST_DEVICE bool operator==(const packed_float& a, const packed_float& b)
    {
        return a.word() == b.word();
    }

private:
    static constexpr std::uint32_t mask = (1u << width) - 1;

    constexpr TEGULA_HOST_DEVICE std::uint32_t word() const
    {
        std::uint32_t all = 0;
        for (int b = 0; b < bytes; ++b)
            all |= static_cast<std::uint32_t>(bits[b]) << (8 * b);
        return all;
    }
};

} // namespace tegula
