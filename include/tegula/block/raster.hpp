#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// A tile of the output: which rows, which columns, which product of the batch.
struct tile_position
{
    index_t m = 0;
    index_t n = 0;
    long_index_t batch = 0;
};

/// Order in which blocks take the tiles of C: columns of `Group` tiles along M, walked along N, so that blocks that run
/// at the same time share rows of A and columns of B in the L2 cache.
///
/// tiles_m, tiles_n  tiles of one product; both at least 1
/// block             block number, in [0, tiles_m * tiles_n * batches)
template <index_t Group>
struct grouped_raster
{
    static constexpr TEGULA_HOST_DEVICE tile_position position(long_index_t block, index_t tiles_m, index_t tiles_n)
    {
        const long_index_t tiles = static_cast<long_index_t>(tiles_m) * tiles_n;
        const long_index_t batch = block / tiles;
        const long_index_t tile = block % tiles;
        const long_index_t group_tiles = static_cast<long_index_t>(Group) * tiles_n;
        const index_t first_m = static_cast<index_t>(tile / group_tiles) * Group;
        // The last group may be lower than the others.
        const index_t height = tiles_m - first_m < Group ? tiles_m - first_m : Group;
        const long_index_t within = tile % group_tiles;
        return {first_m + static_cast<index_t>(within % height), static_cast<index_t>(within / height), batch};
    }
};

} // namespace tegula
