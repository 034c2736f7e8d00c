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

/// The number of the tile that block `block` takes, so that chunks of neighbouring tiles run on one XCD, a die with its
/// own L2 cache. A GPU hands its blocks to the XCDs in turn, block b to XCD b % xcds.
///
/// block   in [0, blocks); blocks is below 2^31, as the grid of a launch is
/// xcds    dies; 1 leaves every block where it is
/// chunk   neighbouring tiles that share an XCD, at least 1
///
/// A bijection of [0, blocks) for any number of blocks; the last ones, too few for a chunk on every XCD, are split as
/// evenly as they can be.
constexpr TEGULA_HOST_DEVICE index_t xcd_remap(index_t block, index_t blocks, index_t xcds, index_t chunk)
{
    // Unsigned, 32 bits: a division takes tens of instructions on a GPU, one of 64 bits more than a hundred.
    const auto b = static_cast<std::uint32_t>(block), dies = static_cast<std::uint32_t>(xcds),
               run = static_cast<std::uint32_t>(chunk);
    const std::uint32_t whole = static_cast<std::uint32_t>(blocks) / (dies * run) * (dies * run);
    const std::uint32_t xcd = b % dies;
    const std::uint32_t turn = b / dies;
    if (b < whole)
        return static_cast<index_t>(turn / run * (dies * run) + xcd * run + turn % run);
    const std::uint32_t rest = static_cast<std::uint32_t>(blocks) - whole;
    const std::uint32_t each = rest / dies;
    const std::uint32_t with_one_more = rest % dies;
    return static_cast<index_t>(whole + xcd * each + (xcd < with_one_more ? xcd : with_one_more) +
                                (turn - whole / dies));
}

namespace detail {

/// xcd_remap() of a tile of one product, in chunks of Chunk.
template <index_t Xcds, index_t Chunk>
constexpr TEGULA_HOST_DEVICE std::uint32_t on_xcd(std::uint32_t tile, std::uint32_t tiles)
{
    if constexpr (Xcds > 1)
        return static_cast<std::uint32_t>(
            xcd_remap(static_cast<index_t>(tile), static_cast<index_t>(tiles), Xcds, Chunk));
    return tile;
}

} // namespace detail

/// Order in which blocks take the tiles of C: columns of `Group` tiles along M, walked along N, so that blocks that run
/// at the same time share rows of A and columns of B in the L2 cache. With several XCDs, neighbours in that order share
/// one in chunks of Chunk tiles; they are counted within each product of a batch, which keeps a chunk on one XCD
/// wherever the product starts.
///
/// tiles_m, tiles_n  tiles of one product; both at least 1
/// block             block number, in [0, tiles_m * tiles_n * batches), which is below 2^31
template <index_t Group, index_t Xcds = 1, index_t Chunk = 16>
struct grouped_raster
{
    static constexpr TEGULA_HOST_DEVICE tile_position position(index_t block, index_t tiles_m, index_t tiles_n)
    {
        const auto number = static_cast<std::uint32_t>(block);
        const auto rows = static_cast<std::uint32_t>(tiles_m), columns = static_cast<std::uint32_t>(tiles_n);
        const std::uint32_t tiles = rows * columns;
        const std::uint32_t batch = number / tiles;
        const std::uint32_t tile = detail::on_xcd<Xcds, Chunk>(number % tiles, tiles);
        const std::uint32_t group_tiles = (rows < Group ? rows : Group) * columns;
        const std::uint32_t first_m = tile / group_tiles * Group;
        // The last group may have fewer rows.
        const std::uint32_t height = rows - first_m < Group ? rows - first_m : Group;
        const std::uint32_t within = tile % group_tiles;
        return {static_cast<index_t>(first_m + within % height), static_cast<index_t>(within / height),
                static_cast<long_index_t>(batch)};
    }
};

namespace detail {

/// The quadrant (2 m + n) that a curve visits i-th, two bits each, and the curve inside it. Curves 0 and 1 start
/// at the first corner, 2 and 3 at the last; 0 and 3 end at the far end of m, 1 and 2 at that of n.
struct hilbert_curve
{
    static constexpr TEGULA_HOST_DEVICE int order(int curve, int i)
    {
        constexpr unsigned quadrants =
            0b10'00'01'11u << 24 | 0b01'00'10'11u << 16 | 0b01'11'10'00u << 8 | 0b10'11'01'00u;
        return static_cast<int>(quadrants >> (8 * curve + 2 * i) & 3);
    }
    static constexpr TEGULA_HOST_DEVICE int child(int curve, int i)
    {
        constexpr unsigned curves = 0b00'11'11'10u << 24 | 0b01'10'10'11u << 16 | 0b10'01'01'00u << 8 | 0b11'00'00'01u;
        return static_cast<int>(curves >> (8 * curve + 2 * i) & 3);
    }
};

/// Quadrants row by row, at every scale.
struct morton_curve
{
    static constexpr TEGULA_HOST_DEVICE int order(int, int i) { return i; }
    static constexpr TEGULA_HOST_DEVICE int child(int, int) { return 0; }
};

/// Order along a curve of quadrants of quadrants, for any number of tiles.
///
/// The curve fills the smallest square of a power of two around the tiles. Places outside the tiles are not counted, so
/// that a quadrant counts for as many blocks as it has tiles. Arguments as in grouped_raster.
template <class Curve>
struct quadrant_raster
{
    static constexpr TEGULA_HOST_DEVICE tile_position position(index_t block, index_t tiles_m, index_t tiles_n)
    {
        const auto tiles = static_cast<std::uint32_t>(tiles_m) * static_cast<std::uint32_t>(tiles_n);
        auto rest = static_cast<index_t>(static_cast<std::uint32_t>(block) % tiles);
        tile_position at{0, 0, static_cast<long_index_t>(static_cast<std::uint32_t>(block) / tiles)};
        index_t side = 1;
        while (side < tiles_m || side < tiles_n)
            side *= 2;
        for (int curve = 0; side > 1;) {
            side /= 2;
            for (int i = 0;; ++i) {
                const index_t m = at.m + (Curve::order(curve, i) >> 1) * side;
                const index_t n = at.n + (Curve::order(curve, i) & 1) * side;
                const index_t inside = within(tiles_m - m, side) * within(tiles_n - n, side);
                if (rest < inside) {
                    at.m = m;
                    at.n = n;
                    curve = Curve::child(curve, i);
                    break;
                }
                rest -= inside;
            }
        }
        return at;
    }

private:
    static constexpr TEGULA_HOST_DEVICE index_t within(index_t length, index_t side)
    {
        return length < 0 ? 0 : length < side ? length : side;
    }
};

} // namespace detail

/// Order along a Hilbert curve, whose neighbours share rows or columns at every scale: blocks that run at the same time
/// form a patch that is about as high as it is wide, whatever their number. Any numbers of tiles.
struct hilbert_raster : detail::quadrant_raster<detail::hilbert_curve>
{};

/// Order along a Morton curve (Z order), the bits of m and n interleaved: patches as for the Hilbert curve, with jumps
/// between them. Any numbers of tiles.
struct morton_raster : detail::quadrant_raster<detail::morton_curve>
{};

/// Any of these orders on a GPU of several XCDs, as grouped_raster has it: neighbours in the order share an XCD in
/// chunks of Chunk tiles, counted within each product of a batch.
template <class Raster, index_t Xcds, index_t Chunk = 16>
struct xcd_raster
{
    static constexpr TEGULA_HOST_DEVICE tile_position position(index_t block, index_t tiles_m, index_t tiles_n)
    {
        const auto tiles = static_cast<std::uint32_t>(tiles_m) * static_cast<std::uint32_t>(tiles_n);
        const std::uint32_t tile = static_cast<std::uint32_t>(block) % tiles;
        return Raster::position(
            static_cast<index_t>(static_cast<std::uint32_t>(block) - tile + detail::on_xcd<Xcds, Chunk>(tile, tiles)),
            tiles_m, tiles_n);
    }
};

} // namespace tegula
