// Rasters of GPUs with several XCDs: every tile once, and neighbours where they share a cache.

#include "test/catch.hpp"

#include <tegula/block/raster.hpp>

#include <set>
#include <vector>

namespace tegula::test {
namespace {

static_assert(xcd_remap(0, 1024, 8, 16) == 0);
static_assert(xcd_remap(8, 1024, 8, 16) == 1, "the second block of XCD 0");
static_assert(xcd_remap(1, 1024, 8, 16) == 16, "XCD 1 takes the second chunk");
static_assert(xcd_remap(128, 1024, 8, 16) == 128, "XCD 0 goes on behind all first chunks");
static_assert(xcd_remap(5, 9, 1, 16) == 5);

/// Block of each number.
std::vector<long_index_t> inverse_of(long_index_t blocks, index_t xcds, index_t chunk)
{
    std::vector<long_index_t> block_of(static_cast<std::size_t>(blocks), -1);
    for (long_index_t block = 0; block < blocks; ++block) {
        const long_index_t number = xcd_remap(block, blocks, xcds, chunk);
        REQUIRE((number >= 0 && number < blocks));
        REQUIRE(block_of[static_cast<std::size_t>(number)] == -1);
        block_of[static_cast<std::size_t>(number)] = block;
    }
    return block_of;
}

TEST_CASE("blocks keep one number each for any count of blocks", "[raster]")
{
    for (index_t xcds : {1, 2, 3, 8})
        for (index_t chunk : {1, 4, 16, 64})
            for (long_index_t blocks = 1; blocks < 300; ++blocks)
                inverse_of(blocks, xcds, chunk);
}

TEST_CASE("neighbours share an XCD", "[raster]")
{
    for (long_index_t blocks : {1, 7, 8, 100, 128, 129, 255, 1000, 4096}) {
        const std::vector<long_index_t> block_of = inverse_of(blocks, 8, 16);
        const long_index_t whole = blocks / 128 * 128;
        const auto xcd = [&](long_index_t number) { return block_of[static_cast<std::size_t>(number)] % 8; };
        for (long_index_t number = 0; number < whole; ++number)
            CHECK(xcd(number) == xcd(number / 16 * 16));
        // Each XCD has one run of the remaining numbers.
        int changes = 0;
        for (long_index_t number = whole + 1; number < blocks; ++number)
            changes += xcd(number) != xcd(number - 1);
        CHECK(changes <= 7);
    }
}

template <class Raster>
void check_every_tile_once(index_t tiles_m, index_t tiles_n, index_t batches)
{
    std::set<std::vector<long_index_t>> seen;
    for (long_index_t block = 0; block < static_cast<long_index_t>(tiles_m) * tiles_n * batches; ++block) {
        const tile_position at = Raster::position(block, tiles_m, tiles_n);
        REQUIRE((at.m >= 0 && at.m < tiles_m && at.n >= 0 && at.n < tiles_n && at.batch >= 0 && at.batch < batches));
        CHECK(seen.insert({at.m, at.n, at.batch}).second);
    }
}

TEST_CASE("every tile of every product is taken once", "[raster]")
{
    for (index_t tiles_m : {1, 3, 8, 13})
        for (index_t tiles_n : {1, 5, 16})
            for (index_t batches : {1, 3}) {
                check_every_tile_once<grouped_raster<4, 8, 16>>(tiles_m, tiles_n, batches);
                check_every_tile_once<grouped_raster<8, 3, 2>>(tiles_m, tiles_n, batches);
                check_every_tile_once<grouped_raster<8, 1, 1>>(tiles_m, tiles_n, batches);
            }
}

/// Most different rows and columns of tiles, together, that one XCD reads for its first chunk.
template <class Raster>
std::size_t panels_of_first_chunk(index_t tiles)
{
    std::set<index_t> rows, columns;
    for (long_index_t turn = 0; turn < 16; ++turn) {
        const tile_position at = Raster::position(turn * 8, tiles, tiles);
        rows.insert(at.m);
        columns.insert(at.n);
    }
    return rows.size() + columns.size();
}

TEST_CASE("a chunk reads a square of tiles where blocks in turn would read many", "[raster]")
{
    CHECK(panels_of_first_chunk<grouped_raster<4, 8, 16>>(32) == 4 + 4);
    CHECK(panels_of_first_chunk<grouped_raster<4>>(32) > 16);
}

} // namespace
} // namespace tegula::test
