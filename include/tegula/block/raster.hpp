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

/// The number that block `block` works under so that chunks of neighbouring numbers run on one XCD, a die with an L2
/// cache of its own: a GPU hands its blocks to the XCDs in turn, block b to XCD b % xcds.
///
/// block   in [0, blocks)
/// xcds    dies; 1 leaves every block where it is
/// chunk   neighbouring numbers that share an XCD, at least 1
///
/// A bijection of [0, blocks) for any number of blocks; the last ones, too few for a chunk on every XCD, are split as
/// evenly as they can be.
constexpr TEGULA_HOST_DEVICE long_index_t xcd_remap(long_index_t block, long_index_t blocks, index_t xcds,
                                                    index_t chunk)
{
    const long_index_t round = static_cast<long_index_t>(xcds) * chunk;
    const long_index_t whole = blocks - blocks % round;
    const long_index_t xcd = block % xcds;
    const long_index_t turn = block / xcds;
    if (block < whole)
        return turn / chunk * round + xcd * chunk + turn % chunk;
    const long_index_t each = (blocks - whole) / xcds;
    const long_index_t with_one_more = (blocks - whole) % xcds;
    return whole + xcd * each + (xcd < with_one_more ? xcd : with_one_more) + (turn - whole / xcds);
}

/// Order in which blocks take the tiles of C: columns of `Group` tiles along M, walked along N, so that blocks that run
/// at the same time share rows of A and columns of B in the L2 cache. With several XCDs, neighbours in that order share
/// one in chunks of Chunk tiles; they are counted within each product of a batch, which keeps a chunk on one XCD
/// wherever the product starts.
///
/// tiles_m, tiles_n  tiles of one product; both at least 1
/// block             block number, in [0, tiles_m * tiles_n * batches)
template <index_t Group, index_t Xcds = 1, index_t Chunk = 16>
struct grouped_raster
{
    static constexpr TEGULA_HOST_DEVICE tile_position position(long_index_t block, index_t tiles_m, index_t tiles_n)
    {
        const long_index_t tiles = static_cast<long_index_t>(tiles_m) * tiles_n;
        const long_index_t batch = block / tiles;
        const long_index_t tile = Xcds == 1 ? block % tiles : xcd_remap(block % tiles, tiles, Xcds, Chunk);
        const long_index_t group_tiles = static_cast<long_index_t>(Group) * tiles_n;
        const index_t first_m = static_cast<index_t>(tile / group_tiles) * Group;
        // The last group may be lower than the others.
        const index_t height = tiles_m - first_m < Group ? tiles_m - first_m : Group;
        const long_index_t within = tile % group_tiles;
        return {first_m + static_cast<index_t>(within % height), static_cast<index_t>(within / height), batch};
    }
};

} // namespace tegula
