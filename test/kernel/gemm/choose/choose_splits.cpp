// Which tile's k to split, and whether to: against every tile and number of splits there is.

#include "test/catch.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/tcgen05/description.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

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

namespace {

using blackwell = tcgen05_tiles<arch::sm_100a, bfloat16>;
constexpr tile_description of_sm_100a[] = {
    describe<blackwell::tc256x256_2x1>("tc256x256_2x1"), describe<blackwell::tc128x256>("tc128x256"),
    describe<blackwell::tc128x128>("tc128x128"), describe<blackwell::tc128x64>("tc128x64")};
using hopper = warp_specialized_tiles<arch::sm_90a, bfloat16>;
constexpr tile_description of_sm_90a[] = {
    describe<hopper::ws128x256_2x1>("ws128x256_2x1"), describe<hopper::ws256x128_1x2>("ws256x128_1x2"),
    describe<hopper::ws128x128_2x1>("ws128x128_2x1"), describe<hopper::ws128x128>("ws128x128")};

template <int Count>
void check_no_tile_is_split(const gemm_size& size, const chip_info& chip, const tile_description (&list)[Count])
{
    for (const tile_description& t : list) {
        INFO(t.name << " on " << chip.name << ": " << size.m << " x " << size.n << " x " << size.k);
        CHECK(choose_splits(size, t, chip) == 1);
    }
}

} // namespace

TEST_CASE("large products are not split to fill the last round: their partial sums cost more", "[gemm][tile]")
{
    check_no_tile_is_split({2048, 6144, 4096}, chip::sm_100a, of_sm_100a); // five splits are 503 MB of partial sums
    for (const long_index_t size : {3072, 4096, 5120, 8192}) {
        check_no_tile_is_split({size, size, size}, chip::sm_100a, of_sm_100a);
        check_no_tile_is_split({size, size, size}, chip::sm_90a, of_sm_90a);
    }
}

TEST_CASE("the example of docs/gemm.md", "[gemm][tile]")
{
    const gemm_size size{64, 64, 16384};
    CHECK(choose_splits(size, all[1], chip::gfx942) == 64);
}

TEST_CASE("nothing hides the launch that adds partial sums", "[gemm][tile]")
{
    const gemm_size size{1024, 1024, 8192};
    const double bytes_a_cycle = 3350. * 1000 / 1830;
    const tile_estimate whole = estimate_tile(size, of_sm_90a[0], chip::sm_90a);
    const tile_estimate split = estimate_tile(size, of_sm_90a[0], chip::sm_90a, 4);
    CHECK(whole.sums == 0);
    CHECK(whole.cycles < whole.busy + whole.memory);
    const double partials = 4 * 4 * 1024. * 1024, result = 4 * 1024. * 1024;
    CHECK(split.sums > (partials + result) / bytes_a_cycle);
    const double interference = chip::speed_of(chip::sm_90a).interference;
    CHECK(split.cycles == detail::overlap(interference, split.busy, split.memory) + split.sums);
    CHECK(split.memory > partials / bytes_a_cycle);             // the launch before writes them
    CHECK(choose_splits(size, of_sm_90a[0], chip::sm_90a) > 1); // where it pays all the same
    CHECK(choose_splits({256, 256, 65536}, of_sm_100a[2], chip::sm_100a) > 16);
}

TEST_CASE("a tile that does not fit the chip is not split", "[gemm][tile]")
{
    tile_description one = all[1];
    const gemm_size size{64, 64, 16384};
    CHECK(choose_split_tile(size, chip::gfx942, &one, 1, 1e12));
    one.shared_bytes = chip::gfx942.shared_bytes + 1;
    CHECK_FALSE(choose_split_tile(size, chip::gfx942, &one, 1, 1e12));
}
