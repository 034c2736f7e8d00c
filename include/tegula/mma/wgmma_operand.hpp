#pragma once

#include <tegula/arch/nvidia/wgmma.hpp>
#include <tegula/layout/shared/shared_layout.hpp>
#include <tegula/mma/shared_operand.hpp>

namespace tegula {

/// The 64-bit shared-memory descriptor of wgmma (PTX ISA, "Matrix Descriptor Format"), unpacked. Lengths in bytes,
/// multiples of 16.
struct matrix_descriptor
{
    index_t start = 0;
    index_t leading = 0; ///< see wgmma_operand
    index_t stride = 0;
    int base_offset = 0; ///< lines of the pattern before `start`; 0 for tiles at a multiple of pattern_bytes()
    swizzle_mode swizzle = swizzle_mode::none;

    constexpr TEGULA_HOST_DEVICE std::uint64_t pack() const
    {
        const int mode = static_cast<int>(swizzle);
        return field(start, 0) | field(leading, 16) | field(stride, 32) |
               static_cast<std::uint64_t>(base_offset) << 49 |
               static_cast<std::uint64_t>(mode == 0 ? 0 : 4 - mode) << 62;
    }
    static constexpr TEGULA_HOST_DEVICE matrix_descriptor unpack(std::uint64_t bits)
    {
        const int mode = static_cast<int>(bits >> 62);
        return {length(bits, 0), length(bits, 16), length(bits, 32), static_cast<int>(bits >> 49 & 7),
                static_cast<swizzle_mode>(mode == 0 ? 0 : 4 - mode)};
    }

private:
    static constexpr std::uint64_t mask = 0x3fff;
    static constexpr TEGULA_HOST_DEVICE std::uint64_t field(index_t bytes, int at)
    {
        return (static_cast<std::uint64_t>(bytes) >> 4 & mask) << at;
    }
    static constexpr TEGULA_HOST_DEVICE index_t length(std::uint64_t bits, int at)
    {
        return static_cast<index_t>((bits >> at & mask) << 4);
    }
};

template <bool Ok, int ElementBits>
struct wgmma_mn_major_needs_16_bit_elements
{
    static_assert(Ok, "tegula: wgmma transposes operands of 16-bit elements only; keep others contiguous along k; the "
                      "arguments are {ok, bits of an element}");
};
/// A shared_operand of wgmma, which transposes 16-bit elements only, and its descriptor.
template <class Element, index_t Mn, index_t K, operand_order Order = operand_order::k_contiguous,
          swizzle_mode Swizzle = swizzle_mode::bytes_128>
struct wgmma_operand : shared_operand<Element, Mn, K, Order, Swizzle>
{
    using base = shared_operand<Element, Mn, K, Order, Swizzle>;
    static_assert(sizeof(wgmma_mn_major_needs_16_bit_elements < Order == operand_order::k_contiguous ||
                             sizeof(Element) == 2,
                         static_cast<int>(sizeof(Element)) * 8 >) > 0);

    /// The descriptor of the tile that starts at `tile`. Keep it, and add offset_of() for its parts.
    static TEGULA_INLINE std::uint64_t descriptor(const Element* tile)
    {
        constexpr std::uint64_t constant = matrix_descriptor{0, base::leading, base::stride, 0, Swizzle}.pack();
        return constant | arch::nvidia::shared_address(tile, base::alignment) >> 4;
    }
};

} // namespace tegula
