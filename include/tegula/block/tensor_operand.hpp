#pragma once

#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/arch/nvidia/tma_pair.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/half.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/tfloat32.hpp>
#include <tegula/mma/wgmma_operand.hpp>

namespace tegula {

/// The type under which tensor copies move elements of T.
template <class T>
constexpr tensor_element tensor_element_of()
{
    if constexpr (std::is_same_v<T, half>)
        return tensor_element::f16;
    else if constexpr (std::is_same_v<T, bfloat16>)
        return tensor_element::bf16;
    else if constexpr (std::is_same_v<T, tfloat32>)
        return tensor_element::tf32;
    else if constexpr (std::is_same_v<T, std::int32_t>)
        return tensor_element::i32;
    else if constexpr (sizeof(T) == 4)
        return tensor_element::f32;
    else
        return tensor_element::u8;
}

/// A batch of matrices in memory as tensor copies address them: `lines` of `length` contiguous elements. Matrices of a
/// batch that lie in the same place have batch_stride 0.
struct tensor_lines
{
    const void* data = nullptr;
    long_index_t length = 0;
    long_index_t lines = 0;
    long_index_t line_stride = 0; ///< in elements
    long_index_t batch = 1;
    long_index_t batch_stride = 0;
};

/// The parameters of a tensor map over three dimensions: along a line, line, matrix of the batch. A stride that is not
/// used, of a single line or matrix, is replaced by one that the hardware takes: a multiple of 16 bytes and, as the
/// driver's documentation has it, no less than what lies inside.
template <class T>
constexpr tensor_map_parameters make_line_map(const tensor_lines& x, index_t box_length, index_t box_lines,
                                              swizzle_mode swizzle)
{
    constexpr auto size = static_cast<long_index_t>(sizeof(T));
    tensor_map_parameters p;
    p.base = x.data;
    p.type = tensor_element_of<T>();
    p.swizzle = swizzle;
    const bool one_matrix = x.batch == 1 || x.batch_stride == 0;
    constexpr auto longest = static_cast<long_index_t>(tensor_map_rules::max_stride_bytes) - 16;
    const long_index_t line = x.lines == 1 ? round_up(x.length * size, 16) : x.line_stride * size;
    // If a matrix ends beyond the longest stride, its lines are far apart; its data is not that long.
    const long_index_t matrix = line <= 0 || x.lines <= longest / line ? x.lines * line : longest;
    p.set_dimensions<3>({x.length, x.lines, one_matrix ? 1 : x.batch},
                        {size, line, one_matrix ? matrix : x.batch_stride * size}, {box_length, box_lines, 1});
    return p;
}

/// Copies of an operand of wgmma or tcgen05.mma from global memory into a stage, shared among the blocks of a cluster
/// that need the same tile: each copies its part into all of them.
///
///   Operand        a wgmma_operand or tcgen05_operand
///   SharingBlocks  number of blocks that need the tile
template <class Operand, int SharingBlocks>
struct tensor_operand
{
    using element_type = typename Operand::element_type;
    static constexpr bool k_major = Operand::order == operand_order::k_contiguous;
    /// Bytes of a line in shared memory.
    static constexpr index_t line = line_bytes(Operand::swizzle);
    /// Lines and panels of one box: lines of panel_columns elements.
    static constexpr index_t lines = k_major ? Operand::mn / SharingBlocks : Operand::k;
    static constexpr index_t panels = k_major ? Operand::panels : Operand::panels / SharingBlocks;

    static_assert(k_major ? Operand::mn % (8 * SharingBlocks) == 0 : Operand::panels % SharingBlocks == 0,
                  "tegula: the blocks of a cluster share an operand in parts of whole swizzle patterns; use a larger "
                  "tile or a smaller cluster");
    static_assert(lines <= 256, "tegula: a tensor copy moves at most 256 lines; use a smaller tile");

    /// The map of an operand [rows, k].
    static constexpr tensor_map_parameters parameters(const tensor_lines& x)
    {
        return make_line_map<element_type>(x, Operand::panel_columns, lines, Operand::swizzle);
    }

    /// Copies part `share` of the tile at (mn, k) of the matrix at the `outer` coordinates to `stage` in all blocks of
    /// `blocks`. `full` is an mbarrier at the same place in each of them, or, for a pair of blocks, the
    /// peer_address of one in the first.
    template <arch::nvidia::l2_hint Hint, class Barrier, int Outer>
    static TEGULA_INLINE void load(std::byte* stage, const tensor_map& map, index_t mn, index_t k,
                                   const array<int, Outer>& outer, Barrier full, int share,
                                   [[maybe_unused]] std::uint16_t blocks)
    {
        constexpr index_t panel_bytes = Operand::bytes / Operand::panels;
        static_for<panels>([&](auto p) {
            const index_t panel = k_major ? static_cast<index_t>(p) : share * panels + p;
            std::byte* const to = stage + panel * panel_bytes + (k_major ? share * lines * line : 0);
            array<int, 2 + Outer> x;
            x[0] = (k_major ? k : mn) + panel * Operand::panel_columns;
            x[1] = k_major ? mn + share * lines : k;
            static_for<Outer>([&](auto i) { x[2 + i] = outer[i]; });
            if constexpr (std::is_same_v<Barrier, arch::nvidia::peer_address<arch::nvidia::mbarrier>>)
                arch::nvidia::tensor_load_paired<Hint>(to, map, x, full);
            else if constexpr (SharingBlocks > 1)
                arch::nvidia::tensor_load_multicast<Hint>(to, map, x, full, blocks);
            else
                arch::nvidia::tensor_load<Hint>(to, map, x, full);
        });
    }
    template <arch::nvidia::l2_hint Hint, class Barrier>
    static TEGULA_INLINE void load(std::byte* stage, const tensor_map& map, index_t mn, index_t k, index_t batch,
                                   Barrier full, int share, std::uint16_t blocks)
    {
        load<Hint>(stage, map, mn, k, array<int, 1>{batch}, full, share, blocks);
    }

    /// Copies one box, of lines from `from` on, to the stage's lines from `to` on, a multiple of 8. The map's boxes may have
    /// fewer lines than the operand. The matrix's columns from `column` on are the operand's.
    template <arch::nvidia::l2_hint Hint, class Barrier, int Outer>
    static TEGULA_INLINE void load_lines(std::byte* stage, index_t to, const tensor_map& map, index_t from,
                                         const array<int, Outer>& outer, Barrier full, index_t column = 0)
    {
        load<Hint>(stage + to * line, map, k_major ? from : column, k_major ? column : from, outer, full, 0, 0);
    }

    /// Run by one wave: puts zeros in the stage's lines from `first` on. Then the caller makes the stage visible to
    /// products.
    template <class Target>
    static TEGULA_INLINE void clear_lines(std::byte* stage, index_t first)
    {
        constexpr index_t all = k_major ? Operand::mn : Operand::k;
        constexpr index_t panel_bytes = Operand::bytes / Operand::panels;
        TEGULA_ROLLED
        for (index_t byte = first * line + Target::lane_id() * 16; byte < all * line; byte += Target::wave_size * 16)
            static_for<Operand::panels>([&](auto p) {
                Target::store_shared(reinterpret_cast<raw_vector<16>*>(stage + p * panel_bytes + byte),
                                     raw_vector<16>{});
            });
    }
};

} // namespace tegula
