#pragma once

#include <tegula/arch/nvidia/async_operands.hpp>
#include <tegula/layout/shared/tma_swizzled_layout.hpp>
#include <tegula/mma/operand_order.hpp>

namespace tegula {

// Rules of an operand's tile. Lengths in elements.

template <bool Ok, index_t Rows>
struct shared_tile_rows_are_whole_patterns
{
    static_assert(Ok,
                  "tegula: the strided dimension of a matrix operand's tile must be a multiple of 8, the lines of a "
                  "swizzle pattern; the arguments are {ok, its length}");
};
template <bool Ok, index_t Columns, index_t Panel>
struct shared_tile_columns_fill_the_swizzle
{
    static_assert(Ok, "tegula: the contiguous dimension of a matrix operand's tile must be a multiple of the swizzle's "
                      "width; take a narrower swizzle or a wider tile; the arguments are {ok, its length, the width}");
};
template <bool Ok, index_t K, index_t InstructionK>
struct shared_tile_k_is_whole_instructions
{
    static_assert(Ok, "tegula: k of a matrix operand's tile must be a multiple of the instruction's, 32 bytes; the "
                      "arguments are {ok, k, the instruction's k}");
};
template <bool Ok, index_t Bytes>
struct shared_tile_fits_a_descriptor
{
    static_assert(Ok, "tegula: the strides of a matrix operand's tile must stay below 262144 bytes; the arguments are "
                      "{ok, the larger stride}");
};
template <bool Ok, index_t Mn, index_t K>
struct shared_step_meets_the_pattern
{
    static_assert(Ok, "tegula: inside a matrix operand's tile an instruction starts at a multiple of 8 along the "
                      "strided dimension, of the swizzle's width along M or N where that is contiguous, and of the "
                      "instruction's k along k; the arguments are {ok, first m or n, first k}");
};

/// One stage of an operand of wgmma or tcgen05.mma in shared memory: an [Mn, K] tile (M of A or N of B) and the fields
/// of its parts' descriptors, which follow from its layout.
///
/// Order    k_contiguous: lines run along K; row_contiguous: along M or N
/// Swizzle  that of the tensor copy that writes the tile
///
/// The tile starts at a multiple of `alignment` bytes and takes `bytes` bytes, a multiple of it, so that stages may
/// follow each other. The descriptor's offsets (PTX ISA, "Strides"; 8 lines are a core matrix or a swizzle pattern):
///
///   K-major   stride: from 8 lines to the next 8 along M or N; leading: without swizzle between the two chunks of k
///   MN-major  with swizzle, leading: from panel to panel along M or N, stride: from 8 lines of k to the next 8;
///             without swizzle the other way round
template <class Element, index_t Mn, index_t K, operand_order Order = operand_order::k_contiguous,
          swizzle_mode Swizzle = swizzle_mode::bytes_128>
struct shared_operand
{
    using element_type = Element;
    static constexpr index_t mn = Mn;
    static constexpr index_t k = K;
    static constexpr operand_order order = Order;
    static constexpr swizzle_mode swizzle = Swizzle;

    /// [rows, columns] with contiguous columns: [Mn, K] or [K, Mn].
    static constexpr tma_swizzled_layout_value layout = {Order == operand_order::k_contiguous ? Mn : K,
                                                         Order == operand_order::k_contiguous ? K : Mn,
                                                         static_cast<int>(sizeof(Element)) * 8, Swizzle};
    static constexpr index_t instruction_k = 32 / static_cast<index_t>(sizeof(Element));
    static constexpr index_t elements = layout.element_space();
    static constexpr index_t bytes = elements * static_cast<index_t>(sizeof(Element));
    static constexpr index_t alignment = pattern_bytes(Swizzle);
    /// The box of the tensor copy of one panel, and how many panels there are.
    static constexpr index_t panel_columns = layout.panel_columns();
    static constexpr index_t panels = layout.panels();

protected:
    static constexpr index_t step = pattern_bytes(Swizzle);
    static constexpr index_t panel = layout.panel_bytes();
    static constexpr bool panel_is_stride = Order == operand_order::row_contiguous && Swizzle == swizzle_mode::none;
    /// Strides in the descriptor, in bytes.
    static constexpr index_t stride = panel_is_stride ? panel : step;
    static constexpr index_t leading = panel_is_stride                          ? step
                                       : Order == operand_order::row_contiguous ? panel
                                       : Swizzle == swizzle_mode::none          ? panel
                                                                                : 16; // ignored

    static consteval bool keep_rules()
    {
        (void)sizeof(shared_tile_rows_are_whole_patterns < layout.rows % 8 == 0, layout.rows >);
        (void)sizeof(shared_tile_columns_fill_the_swizzle < layout.columns % panel_columns == 0, layout.columns,
                     panel_columns >);
        (void)sizeof(shared_tile_k_is_whole_instructions < K % instruction_k == 0, K, instruction_k >);
        (void)sizeof(shared_tile_fits_a_descriptor<(panel < 1 << 18), panel>);
        return true;
    }
    static_assert(keep_rules());

public:
    /// The offset of element (m or n, k) in the tile, in elements.
    static constexpr TEGULA_INLINE index_t offset(index_t mn_index, index_t k_index)
    {
        constexpr tma_swizzled_layout_value l = layout;
        return Order == operand_order::k_contiguous ? l.offset(mn_index, k_index) : l.offset(k_index, mn_index);
    }

    /// The descriptor of the part that starts `units` * 16 bytes later. The address is in the lower word, whose sum
    /// carries nothing into the upper one: a GPU adds one word instead of two.
    static constexpr TEGULA_INLINE std::uint64_t moved(std::uint64_t descriptor, std::uint32_t units)
    {
        return (descriptor >> 32) << 32 | (static_cast<std::uint32_t>(descriptor) + units);
    }

    /// Distance from descriptor() to the part that starts at (Mn0, K0), in units of 16 bytes, for moved().
    template <index_t Mn0, index_t K0>
    static consteval std::uint32_t part()
    {
        constexpr index_t mn_unit = Order == operand_order::k_contiguous ? 8 : panel_columns;
        (void)sizeof(shared_step_meets_the_pattern < Mn0 % mn_unit == 0 && K0 % instruction_k == 0, Mn0, K0 >);
        return static_cast<std::uint32_t>(Order == operand_order::k_contiguous ? layout.linear_byte(Mn0, K0)
                                                                               : layout.linear_byte(K0, Mn0)) >>
               4;
    }
};

} // namespace tegula
