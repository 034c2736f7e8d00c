#pragma once

#include <tegula/kernel/gemm/choose/choose_tile.hpp>

namespace tegula {

/// How the blocks of a product share the k of its tiles.
struct k_partition
{
    bool stream = false; ///< stream-K: all steps of all tiles in runs of the same length
    int splits = 1;      ///< else split-K by so many blocks a tile; 1: a tile is one block's from end to end

    constexpr bool shares() const { return stream || splits > 1; }
};

/// A tile by its index in the list, and in how many parts to split its k.
struct split_choice
{
    int index = -1;
    int splits = 1;
    constexpr explicit operator bool() const { return index >= 0; }
};

/// The tile that, with its k split as choose_splits says, has the least estimate, if that is below `least_unsplit`: the
/// estimate in cycles of what would be taken otherwise, such as choose_tile()'s. No tile if none is below, or if its
/// choose_splits is 1, or if it does not keep the accumulators' precision over the k of a part.
///
/// tiles, count  those whose k can be split
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
