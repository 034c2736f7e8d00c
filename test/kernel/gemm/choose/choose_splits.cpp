// Which tile's k to split, and whether to: against every tile and number of splits there is.

#include "test/catch.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include <vector>

using namespace tegula;

namespace {

using tiles = gemm_tiles<arch::gfx942, half>;
constexpr tile_description all[] = {describe<tiles::t128x128>("t128x128"), describe<tiles::t64x64>("t64x64"),
                                    describe<tiles::t32x128>("t32x128")};
constexpr int count = 3;

double least_unsplit(const gemm_size& size)
{
    return estimate_tile(size, all[choose_tile(size, chip::gfx942, all).index], chip::gfx942).cycles;
}

} // namespace

TEST_CASE("a few tiles of long k are split as no tile and number of splits is faster", "[gemm][tile]")
{
    for (const gemm_size& size : {gemm_size{64, 64, 16384}, {64, 64, 4096, 3}, {16, 4096, 14336}, {1, 128, 65536}}) {
        INFO(size.m << " x " << size.n << " x " << size.k);
        const double unsplit = least_unsplit(size);
        const split_choice choice = choose_split_tile(size, chip::gfx942, all, count, unsplit);
        REQUIRE(choice);
        CHECK(choice.splits > 1);
        const double chosen = estimate_tile(size, all[choice.index], chip::gfx942, choice.splits).cycles;
        CHECK(chosen < unsplit);
        for (const tile_description& t : all)
            for (int splits = 1; splits <= 64 && splits <= (size.k + t.block_k - 1) / t.block_k; ++splits)
                CHECK(chosen <= estimate_tile(size, t, chip::gfx942, splits).cycles);
    }
}

TEST_CASE("nothing is split where it is no faster", "[gemm][tile]")
{
    for (const gemm_size& size : {gemm_size{4864, 4096, 1024}, {8192, 8192, 64}, {64, 64, 64}, {64, 64, 0}})
        CHECK_FALSE(choose_split_tile(size, chip::gfx942, all, count, least_unsplit(size)));
    CHECK_FALSE(choose_split_tile({64, 64, 16384}, chip::gfx942, all, count, 1));
    CHECK_FALSE(choose_split_tile({64, 64, 16384}, chip::gfx942, all, 0, 1e12));
}

TEST_CASE("a tile that does not fit the chip is not split", "[gemm][tile]")
{
    tile_description one = all[1];
    const gemm_size size{64, 64, 16384};
    CHECK(choose_split_tile(size, chip::gfx942, &one, 1, 1e12));
    one.shared_bytes = chip::gfx942.shared_bytes + 1;
    CHECK_FALSE(choose_split_tile(size, chip::gfx942, &one, 1, 1e12));
}
