#include <tegula/block/raster.hpp>
#include <tegula/chip/chip_speed.hpp>

#include "test/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>
#include <vector>

using namespace tegula;

namespace {

template <class Raster>
void check_raster()
{
    for (index_t tiles_m = 1; tiles_m <= 19; ++tiles_m)
        for (index_t tiles_n = 1; tiles_n <= 13; ++tiles_n) {
            constexpr long_index_t batches = 2;
            const long_index_t blocks = static_cast<long_index_t>(tiles_m) * tiles_n * batches;
            std::set<std::tuple<long_index_t, index_t, index_t>> seen;
            bool inside = true;
            for (long_index_t block = 0; block < blocks; ++block) {
                const tile_position at = Raster::position(block, tiles_m, tiles_n);
                inside = inside && at.m >= 0 && at.m < tiles_m && at.n >= 0 && at.n < tiles_n;
                seen.insert({at.batch, at.m, at.n});
            }
            INFO("tiles " << tiles_m << " x " << tiles_n);
            REQUIRE(inside);
            REQUIRE(static_cast<long_index_t>(seen.size()) == blocks);
            REQUIRE(std::get<0>(*seen.rbegin()) == batches - 1);
        }
}

/// Rows and columns of tiles that an XCD's L2 cache holds for each block that runs there, `each` on a compute unit: the
/// average over all XCDs and rounds of a product of tiles_m x tiles_n. Blocks start in order, all for the same time.
template <class Raster>
double panels_a_block(const chip_speed& speed, int each, index_t tiles_m, index_t tiles_n)
{
    const index_t blocks = tiles_m * tiles_n, at_a_time = each * speed.compute_units;
    index_t panels = 0;
    for (index_t first = 0; first < blocks; first += at_a_time)
        for (index_t xcd = 0; xcd < speed.xcds; ++xcd) {
            std::set<index_t> rows, columns;
            for (index_t block = first + xcd; block < std::min(first + at_a_time, blocks); block += speed.xcds) {
                const tile_position at = Raster::position(block, tiles_m, tiles_n);
                rows.insert(at.m);
                columns.insert(at.n);
            }
            panels += static_cast<index_t>(rows.size() + columns.size());
        }
    return static_cast<double>(panels) / static_cast<double>(blocks);
}

/// The average of products of 4096 to 16384 rows and columns by tiles of 256.
template <index_t Chunk>
double panels_of_large_products(const chip_info& chip, int each)
{
    constexpr index_t sizes[][2] = {{16, 16}, {16, 32}, {32, 16}, {32, 32}, {64, 64}, {32, 43}};
    double sum = 0;
    for (const auto& s : sizes)
        sum += panels_a_block<grouped_raster<8, 8, Chunk>>(chip::speed_of(chip), each, s[0], s[1]);
    return sum / 6;
}

} // namespace

TEST_CASE("blocks that run on one XCD at a time share rows and columns")
{
    constexpr chip_speed large = chip::speed_of(chip::gfx942), next = chip::speed_of(chip::gfx950);
    static_assert(large.xcds == 8 && next.xcds == 8);
    STATIC_REQUIRE(tiles_of_xcd(large) == 76);
    STATIC_REQUIRE(tiles_of_xcd(next) == 64);
    const auto check = [](double ours, double before) {
        CHECK(ours < before);
        return ours;
    };
    // A square of 38 tiles would have 0.32 a block, of 32 0.35.
    CHECK(check(panels_of_large_products<tiles_of_xcd(large)>(chip::gfx942, 1),
                panels_of_large_products<16>(chip::gfx942, 1)) < 0.40);
    CHECK(check(panels_of_large_products<tiles_of_xcd(next)>(chip::gfx950, 1),
                panels_of_large_products<16>(chip::gfx950, 1)) < 0.39);
    check(panels_of_large_products<tiles_of_xcd(large)>(chip::gfx942, 2),
          panels_of_large_products<16>(chip::gfx942, 2));
    check(panels_of_large_products<tiles_of_xcd(next)>(chip::gfx950, 2), panels_of_large_products<16>(chip::gfx950, 2));
}

TEST_CASE("each tile of each product is taken by exactly one block")
{
    check_raster<grouped_raster<1>>();
    check_raster<grouped_raster<2>>();
    check_raster<grouped_raster<3>>();
    check_raster<grouped_raster<8>>();
    check_raster<grouped_raster<32>>();
    check_raster<hilbert_raster>();
    check_raster<morton_raster>();
    check_raster<xcd_raster<hilbert_raster, 8, 4>>();
    check_raster<xcd_raster<morton_raster, 3, 5>>();
}

TEST_CASE("blocks that run at the same time share rows and columns")
{
    // Any Group * Group neighbouring blocks of a large product touch few rows and columns of tiles: at most Group rows
    // and Group + 1 columns inside a group, where a row-wise order would touch Group * Group columns.
    constexpr index_t group = 8;
    for (long_index_t first = 0; first + group * group <= group * 40; ++first) {
        std::set<index_t> rows, columns;
        for (long_index_t block = first; block < first + group * group; ++block) {
            const tile_position at = grouped_raster<group>::position(block, 32, 40);
            rows.insert(at.m);
            columns.insert(at.n);
        }
        REQUIRE(rows.size() == group);
        REQUIRE(columns.size() <= group + 1);
    }
}

TEST_CASE("the next block is a neighbour, or the first of the next column or group")
{
    for (long_index_t block = 0; block + 1 < 19 * 13; ++block) {
        const tile_position at = grouped_raster<4>::position(block, 19, 13);
        const tile_position next = grouped_raster<4>::position(block + 1, 19, 13);
        const bool below = next.n == at.n && next.m == at.m + 1;
        const bool next_column = next.n == at.n + 1 && next.m == at.m / 4 * 4;
        const bool next_group = next.n == 0 && next.m == at.m / 4 * 4 + 4;
        REQUIRE((below || next_column || next_group));
    }
}

TEST_CASE("the largest block numbers keep their place")
{
    const auto is = [](const tile_position& at, index_t m, index_t n, long_index_t batch) {
        return at.m == m && at.n == n && at.batch == batch;
    };
    // 2^31 - 1 = 2147 products of 10^6 tiles and 483647; of those 60 groups of 8000, 455 columns of 8 and 7.
    CHECK(is(grouped_raster<8>::position(INT32_MAX, 1000, 1000), 60 * 8 + 7, 455, 2147));
    CHECK(is(grouped_raster<8>::position((1 << 30) - 1, 1, 1 << 30), 0, (1 << 30) - 1, 0));
    CHECK(is(grouped_raster<8>::position((1 << 30) - 1, 1 << 30, 1), (1 << 30) - 1, 0, 0));
    // XCD 6 has the numbers 96 to 111 of the 127 blocks behind the last whole round, and runs this block last.
    CHECK(is(grouped_raster<8, 8>::position(INT32_MAX - 1, 1, INT32_MAX), 0, INT32_MAX - 127 + 111, 0));
    CHECK(hilbert_raster::position(INT32_MAX, 1000, 1000).batch == 2147);
}

TEST_CASE("along a Hilbert curve the next block is a neighbour, and runs of blocks form square patches")
{
    for (long_index_t block = 0; block + 1 < 32 * 32; ++block) {
        const tile_position at = hilbert_raster::position(block, 32, 32);
        const tile_position next = hilbert_raster::position(block + 1, 32, 32);
        REQUIRE(std::abs(next.m - at.m) + std::abs(next.n - at.n) == 1);
    }
    for (long_index_t first = 0; first + 64 <= 32 * 32; ++first) {
        std::set<index_t> rows, columns;
        for (long_index_t block = first; block < first + 64; ++block) {
            const tile_position at = hilbert_raster::position(block, 32, 32);
            rows.insert(at.m);
            columns.insert(at.n);
        }
        REQUIRE(rows.size() + columns.size() <= 28); // 16 would be a square at its place
    }
}

TEST_CASE("the Morton order of a square has the bits of m and n by turns")
{
    for (index_t block = 0; block < 64; ++block) {
        const tile_position at = morton_raster::position(block, 8, 8);
        index_t number = 0;
        for (int bit = 0; bit < 3; ++bit)
            number |= (at.n >> bit & 1) << 2 * bit | (at.m >> bit & 1) << (2 * bit + 1);
        REQUIRE(number == block);
    }
}

TEST_CASE("an order on several XCDs is the order of the numbers that share one")
{
    for (index_t block = 0; block < 2 * 19 * 13; ++block) {
        const tile_position at = xcd_raster<grouped_raster<4>, 8, 4>::position(block, 19, 13);
        const tile_position expected = grouped_raster<4, 8, 4>::position(block, 19, 13);
        REQUIRE((at.m == expected.m && at.n == expected.n && at.batch == expected.batch));
    }
}
