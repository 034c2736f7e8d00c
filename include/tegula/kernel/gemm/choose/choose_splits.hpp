#pragma once

#include <tegula/kernel/gemm/choose/choose_tile.hpp>

namespace tegula {

/// How the blocks of a product share the k of its tiles.
struct k_partition
{
    bool stream = false; ///< stream-K: each block takes a run of steps, all of the same length
    int splits = 1;      ///< else split-K: blocks that share a tile; 1: one block computes the whole tile

    constexpr bool shares() const { return stream || splits > 1; }
};

/// A tile by its index in the list, and in how many parts to split its k.
struct split_choice
{
    int index = -1;
    int splits = 1;
    constexpr explicit operator bool() const { return index >= 0; }
};

/// The tile with the least estimate if choose_splits splits its k. The estimate must be below `least_unsplit`: the
/// cycles of the alternative, such as choose_tile()'s. Tiles with choose_splits of 1 are left out, and those that do
/// not keep the accumulators' precision over the k of a part. No tile if none is left.
///
/// tiles, count  the tiles whose k can be split
constexpr split_choice choose_split_tile(const gemm_size& size, const chip_info& chip, const tile_description* tiles,
                                         int count, double least_unsplit)
{
    split_choice choice;
    double least = least_unsplit;
    for (int i = 0; i < count; ++i) {
        if (!fits_chip(tiles[i], chip).ok())
            continue;
        const int splits = choose_splits(size, tiles[i], chip);
        if (!tiles[i].keeps_precision(ceil_div(size.k, splits)))
            continue;
        if (const double cycles = estimate_tile(size, tiles[i], chip, splits).cycles; splits > 1 && cycles < least) {
            choice = {i, splits};
            least = cycles;
        }
    }
    return choice;
}

} // namespace tegula
