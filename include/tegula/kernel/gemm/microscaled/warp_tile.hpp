#pragma once

#include <tegula/block/scaled_warp_product.hpp>
#include <tegula/kernel/gemm/microscaled/layout.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_arguments.hpp>
#include <tegula/kernel/gemm/tile.hpp>

namespace tegula {

/// How a microscaled_gemm by sm_120a's warps is cut up: block tile [BlockM, BlockN], 128 bytes of k a stage, WavesM x WavesN
/// warps of whole 32 x 32, a ring of Stages stages.
///
/// FormatA, FormatB  mx_format of elements of 8 bits (either) or of 4 (both), or both nvfp4_format
///
/// Operands of 6 bits, and of 4 beside 8, are bytes in the instruction and packed in memory: nothing here takes them apart.
template <class Target, class FormatA, class FormatB, index_t BlockM, index_t BlockN, int WavesM, int WavesN,
          int Stages>
struct scaled_warp_tile
    : gemm_tile<Target, scaled_warp_atom<Target, FormatA, FormatB>, BlockM, BlockN, 128, WavesM, WavesN, Stages>
{
    using a_format = FormatA;
    using b_format = FormatB;
    using a_element = typename FormatA::element_type;
    using b_element = typename FormatB::element_type;
    template <class C, class Epilogue>
    using product_type = scaled_format_arguments<FormatA, FormatB, C, Epilogue>;
    using k_loop = scaled_multistage_loop<scaled_warp_tile, scaled_accumulators<scaled_warp_tile>, FormatA::block>;

    static constexpr bool has_tensor_scale = FormatA::has_tensor_scale;
    /// Bytes of mx_step elements of a row.
    static constexpr index_t a_row = mx_row_bytes<a_element>(mx_step), b_row = mx_row_bytes<b_element>(mx_step);
    static_assert(a_row == b_row && a_row == (scaled_warp_atom<Target, FormatA, FormatB>::packed ? 64 : 128),
                  "tegula: the tile takes elements as the instruction has them, of 8 bits or two of 4 a byte, of both "
                  "operands alike");
    static_assert(128 % BlockM == 0 && 128 % BlockN == 0, "tegula: scales of rows past the last one are stored up to a "
                                                          "multiple of 128 rows; take 64 or 128 of the tile");
};

/// The tiles that are shipped for block-scaled operands on warps.
///
/// | name     | warps | stages | for
/// | t128x128 | 8     | 3      | large products: 96 of the 99 KB of shared memory
/// | t64x64   | 4     | 3      | products of few tiles: two blocks share a multiprocessor
template <class Target, class FormatA, class FormatB = FormatA>
struct scaled_warp_tiles
{
    using t128x128 = scaled_warp_tile<Target, FormatA, FormatB, 128, 128, 2, 4, 3>;
    using t64x64 = scaled_warp_tile<Target, FormatA, FormatB, 64, 64, 2, 2, 3>;
};

} // namespace tegula
