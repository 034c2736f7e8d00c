#pragma once

#include <tegula/kernel/gemm/tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

/// The multistage tiles that are shipped for a target and an input type. Sizes of k are in bytes, so that every type
/// has rows of 64 or 128 bytes in shared memory.
///
///   name    rows x columns  k bytes  waves          for
///   large   128 x 128       64       4 (wave32: 8)  large products: most multiply-adds a byte
///   medium  64 x 64         128      4              products of few tiles (64 bytes where 128 would not fit the
///                                                   registers, wave32, or meet in banks, 8-bit types)
///   flat    32 x 128        64       4              few rows
template <class Target, class Element>
struct multistage_tiles
{
    using atom = default_atom<Target, Element>;

    static constexpr index_t row = 64 / static_cast<index_t>(sizeof(Element));
    // An NVIDIA block keeps one stage more in flight: its copies take no registers.
    static constexpr int stages = Target::has_async_copy ? 3 : 2;
    // 128x128 accumulators in waves of 32 lanes: 8 waves, or there is no room for the operands.
    static constexpr int wide_waves = Target::wave_size == 32 ? 4 : 2;

    static constexpr index_t medium_row = Target::wave_size == 64 && sizeof(Element) > 1 ? 2 * row : row;

    using large = gemm_tile<Target, atom, 128, 128, row, 2, wide_waves, stages>;
    using medium = gemm_tile<Target, atom, 64, 64, medium_row, 2, 2, stages>;
    using flat = gemm_tile<Target, atom, 32, 128, row, 1, 4, stages>;
};

} // namespace tegula
