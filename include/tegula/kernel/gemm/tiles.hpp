#pragma once

#include <tegula/block/interleaved_loop.hpp>
#include <tegula/block/ping_pong_loop.hpp>
#include <tegula/kernel/gemm/tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

/// The tiles that are shipped for a target and an input type. Sizes of k are in bytes, so that every type has rows of
/// 64 or 128 bytes in shared memory.
///
///   name    rows x columns  k bytes  waves          schedule     for
///   huge    256 x 256       64       8              ping_pong    the largest products on CDNA
///   wide    256 x 128       64       4              interleaved  large products on CDNA: no wait for memory in the
///   loop large   128 x 128       64       4 (wave32: 8)  multistage   large products: most multiply-adds a byte
///   elsewhere medium  64 x 64         128      4              multistage   products of few tiles (64 bytes where 128
///   would not fit
///                                                                the registers, wave32, or meet in banks, 8-bit types)
///   flat    32 x 128        64       4              multistage   few rows
///
/// huge and wide are for 16-bit types where has_cdna_tiles.
template <class Target, class Element>
struct gemm_tiles
{
    using atom = default_atom<Target, Element>;

    static constexpr index_t row = 64 / static_cast<index_t>(sizeof(Element));
    // An NVIDIA block keeps one stage more in flight: its copies take no registers.
    static constexpr int stages = Target::has_async_copy ? 3 : 2;
    // 128x128 accumulators in waves of 32 lanes: 8 waves, or there is no room for the operands.
    static constexpr int wide_waves = Target::wave_size == 32 ? 4 : 2;

    static constexpr index_t medium_row = Target::wave_size == 64 && sizeof(Element) > 1 ? 2 * row : row;

    static constexpr bool has_cdna_tiles = Target::wave_size == 64 && sizeof(Element) == 2;

    using huge = gemm_tile<Target, atom, 256, 256, row, 2, 4, 2, 8, ping_pong>;
    using wide = gemm_tile<Target, atom, 256, 128, row, 2, 2, 2, 8, interleaved>;
    using large = gemm_tile<Target, atom, 128, 128, row, 2, wide_waves, stages>;
    using medium = gemm_tile<Target, atom, 64, 64, medium_row, 2, 2, stages>;
    using flat = gemm_tile<Target, atom, 32, 128, row, 1, 4, stages>;
};

} // namespace tegula
