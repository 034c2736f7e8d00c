#pragma once

#include <tegula/mma/shared_operand.hpp>
#include <tegula/mma/wgmma_operand.hpp>

namespace tegula {

/// The 64-bit shared-memory descriptor of tcgen05 (PTX ISA 9.0, 9.7.16.4.1): wgmma's, except for the version and the
/// place of the swizzle mode.
struct tcgen05_descriptor
{
    matrix_descriptor matrix;

    constexpr TEGULA_HOST_DEVICE std::uint64_t pack() const
    {
        matrix_descriptor rest = matrix;
        rest.swizzle = swizzle_mode::none;
        const int mode = static_cast<int>(matrix.swizzle);
        return rest.pack() | std::uint64_t{1} << version_at |
               static_cast<std::uint64_t>(mode == 0 ? 0 : 8 - 2 * mode) << layout_at;
    }
    /// `known`: whether pack() can make these bits.
    static constexpr TEGULA_HOST_DEVICE tcgen05_descriptor unpack(std::uint64_t bits, bool& known)
    {
        const int layout = static_cast<int>(bits >> layout_at);
        known = (bits >> version_at & 7) == 1 && layout % 2 == 0 && (bits >> 52 & 1) == 0;
        matrix_descriptor m = matrix_descriptor::unpack(bits & ((std::uint64_t{1} << version_at) - 1));
        m.base_offset = static_cast<int>(bits >> 49 & 7);
        m.swizzle = static_cast<swizzle_mode>(layout == 0 ? 0 : (8 - layout) / 2);
        return {m};
    }

private:
    static constexpr int version_at = 46;
    static constexpr int layout_at = 61;
};

template <bool Ok, int ElementBits>
struct tcgen05_mn_major_needs_8_or_16_bit_elements
{
    static_assert(Ok, "tegula: tcgen05 reads 32-bit operands that are contiguous along m or n in a swizzle that is not "
                      "supported; keep them contiguous along k; the arguments are {ok, bits of an element}");
};

/// A shared_operand of tcgen05.mma, and its descriptor.
template <class Element, index_t Mn, index_t K, operand_order Order = operand_order::k_contiguous,
          swizzle_mode Swizzle = swizzle_mode::bytes_128>
struct tcgen05_operand : shared_operand<Element, Mn, K, Order, Swizzle>
{
    using base = shared_operand<Element, Mn, K, Order, Swizzle>;
    static_assert(sizeof(tcgen05_mn_major_needs_8_or_16_bit_elements < Order == operand_order::k_contiguous ||
                             sizeof(Element) <= 2,
                         static_cast<int>(sizeof(Element)) * 8 >) > 0);

    /// The descriptor of the tile that starts at `tile`. Keep it, and add part() for its parts.
    static TEGULA_INLINE std::uint64_t descriptor(const Element* tile)
    {
        constexpr std::uint64_t constant = tcgen05_descriptor{{0, base::leading, base::stride, 0, Swizzle}}.pack();
        return constant | arch::nvidia::shared_address(tile, base::alignment) >> 4;
    }
};

} // namespace tegula
