// The choice of a tile: what does not fit, what suits which size, and the overriding name.

#include "test/catch.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

#include <string>

namespace tegula::test {
namespace {

template <class Target, class Element>
struct shipped
{
    using tiles = gemm_tiles<Target, Element>;
    static constexpr tile_description all[] = {describe<typename tiles::t128x128>("t128x128"),
                                               describe<typename tiles::t64x64>("t64x64"),
                                               describe<typename tiles::t32x128>("t32x128")};
    static std::string choose(gemm_size size)
    {
        const tile_choice choice = choose_tile(size, Target::chip(), all);
        REQUIRE(choice);
        return all[choice.index].name;
    }
};

using cdna3 = shipped<arch::gfx942, half>;

constexpr tile_description large = cdna3::all[0];
static_assert(large.block_m == 128 && large.block_n == 128 && large.block_k == 32 && large.waves() == 4);
static_assert(large.shared_bytes == 2 * 256 * 32 * 2 && large.accumulators == 64 && large.threads == 256);
static_assert(choose_tile({4096, 4096, 4096}, chip::gfx942, cdna3::all).index == 0, "usable at compile time");

template <class Shipped>
void check_sizes()
{
    CHECK(Shipped::choose({8192, 8192, 8192}) == "t128x128");
    CHECK(Shipped::choose({4096, 4096, 4096}) == "t128x128");
    CHECK(Shipped::choose({64, 64, 4096}) == "t64x64");
    // Few rows of a width that fills the chip; of a narrower one more, smaller blocks may be better.
    CHECK(Shipped::choose({1, 262144, 4096}) == "t32x128");
    CHECK(Shipped::choose({16, 128256, 4096}) == "t32x128");
    CHECK(Shipped::choose({1, 4096, 4096}) != "t128x128");
}

TEST_CASE("large products take large tiles, few rows flat ones", "[gemm][choose]")
{
    check_sizes<shipped<arch::gfx90a, half>>();
    check_sizes<cdna3>();
    check_sizes<shipped<arch::gfx942, float8_e4m3_fnuz>>();
    check_sizes<shipped<arch::gfx1100, bfloat16>>();
    check_sizes<shipped<arch::gfx1201, half>>();
    check_sizes<shipped<arch::sm_80, half>>();
    check_sizes<shipped<arch::sm_90a, tfloat32>>();
}

TEST_CASE("the largest products take the tiles of the other schedules", "[gemm][choose]")
{
    using tiles = gemm_tiles<arch::gfx942, std::int8_t>;
    constexpr tile_description all[] = {describe<tiles::t256x256>("t256x256"), describe<tiles::t256x128>("t256x128"),
                                        describe<tiles::t128x128>("t128x128"), describe<tiles::t64x64>("t64x64")};
    // The compiler takes 242 and 308 registers for the first two.
    static_assert(all[0].accumulators + all[0].operands == 208 && all[1].accumulators + all[1].operands == 272);
    const auto choose = [&](long_index_t size) {
        return std::string(all[choose_tile({size, size, size}, chip::gfx942, all).index].name);
    };
    CHECK(choose(16384) == "t256x256");
    CHECK(choose(8192) == "t256x128");
    CHECK(choose(2048) == "t128x128");
    CHECK(choose(512) == "t64x64");
}

/// Every tile of a chip with cp.async and without wgmma fits it, and the size of the product chooses among them.
template <class Target, class Element>
void check_multistage_tiles()
{
    using tiles = gemm_tiles<Target, Element>;
    constexpr tile_description all[] = {
        describe<typename tiles::t128x256>("t128x256"), describe<typename tiles::t128x128>("t128x128"),
        describe<typename tiles::t64x64>("t64x64"), describe<typename tiles::t32x128>("t32x128")};
    static_assert(tiles::has_t128x256 && all[0].accumulators + all[0].operands + 32 <= 224);
    static_assert(
        std::is_same_v<typename tiles::t128x256::element_wise_tile, typename tiles::t128x128::element_wise_tile>);
    for (const tile_description& t : all) {
        INFO(Target::chip().name << ", " << t.name << ", " << t.input_bytes << " bytes an element");
        CHECK(fits_chip(t, Target::chip()).ok());
        CHECK(t.block_k * t.input_bytes == 64);
        // Copies of two steps are in flight.
        CHECK(t.stages == 3);
        CHECK(t.shared_bytes == 3 * 64 * (t.block_m + t.block_n));
    }
    const auto choose = [&](gemm_size size) {
        return std::string(all[choose_tile(size, Target::chip(), all).index].name);
    };
    // Sums of fp8 that are not promoted lose too much; the registers of t128x256 hold no others.
    CHECK(choose({16384, 16384, 16384}) == (all[0].keeps_precision(16384) ? "t128x256" : "t128x128"));
    // 4.7 rounds on the 108 multiprocessors of sm_80, 3.6 on the 142 of sm_89, where small tiles leave fewer idle.
    CHECK(choose({4096, 4096, 4096}) == (Target::chip().shared_bytes > 128 * 1024 ? "t128x256" : "t64x64"));
    CHECK(choose({512, 512, 512}) == "t64x64");
    CHECK(choose({1, 4096, 4096}) != "t128x256");
}

TEST_CASE("multistage tiles before wgmma fit shared memory and registers", "[gemm][choose]")
{
    check_multistage_tiles<arch::sm_80, bfloat16>();
    check_multistage_tiles<arch::sm_80, tfloat32>();
    check_multistage_tiles<arch::sm_80, std::int8_t>();
    check_multistage_tiles<arch::sm_89, half>();
    check_multistage_tiles<arch::sm_89, float8_e5m2>();
    static_assert(!gemm_tiles<arch::sm_80, float>::has_t128x256 && !gemm_tiles<arch::sm_80, double>::has_t128x256);
    static_assert(!gemm_tiles<arch::sm_90a, bfloat16>::has_t128x256);
}

template <class Element>
struct hopper
{
    using tiles = warp_specialized_tiles<arch::sm_90a, Element>;
    static constexpr tile_description all[] = {describe<typename tiles::ws128x256_2x1>("ws128x256_2x1"),
                                               describe<typename tiles::ws256x128_1x2>("ws256x128_1x2"),
                                               describe<typename tiles::ws128x128_2x1>("ws128x128_2x1"),
                                               describe<typename tiles::ws64x256_2x1>("ws64x256_2x1"),
                                               describe<typename tiles::ws128x128>("ws128x128"),
                                               describe<typename tiles::ws16x128>("ws16x128"),
                                               describe<typename tiles::ws32x128>("ws32x128"),
                                               describe<typename tiles::ws64x128>("ws64x128"),
                                               describe<typename tiles::ws128x128_transposed>("ws128x128_transposed"),
                                               describe<typename tiles::ws256x128_2x1>("ws256x128_2x1"),
                                               describe<typename tiles::ws16x64>("ws16x64"),
                                               describe<typename tiles::ws32x64>("ws32x64"),
                                               describe<typename tiles::ws64x64>("ws64x64"),
                                               describe<typename tiles::ws128x192_2x1>("ws128x192_2x1")};
    static std::string choose(gemm_size size)
    {
        const tile_choice choice = choose_tile(size, chip::sm_90a, all);
        REQUIRE(choice);
        return all[choice.index].name;
    }
};

TEST_CASE("warp-specialised tiles by the shape of the product", "[gemm][choose][hopper]")
{
    using bf16 = hopper<bfloat16>;
    static_assert(bf16::all[0].block_k == 64 && bf16::all[0].accumulators == 128 && bf16::all[0].cluster_m == 2);
    static_assert(hopper<std::int8_t>::all[0].block_k == 128 && hopper<tfloat32>::all[0].cost == 2);
    for (const long_index_t size : {4096, 8192, 16384})
        CHECK(bf16::choose({size, size, size}) == "ws128x256_2x1");
    CHECK(bf16::choose({4096, 4096, 16384}) == "ws128x256_2x1");
    // Few rows: the weights are read once, by as many blocks as there are.
    for (const long_index_t m : {1, 16}) {
        CHECK(bf16::choose({m, 14336, 4096}) == "ws16x128");
        // 32 tiles of 128 weights, or 64 of half as many: more multiprocessors read.
        CHECK(bf16::choose({m, 4096, 4096}) == "ws16x64");
        CHECK(bf16::choose({m, 8192, 4096}) == "ws16x64");
    }
    CHECK(bf16::choose({64, 14336, 4096}) == "ws64x128");
    // The result takes longer than the products: a tile that multiplies the next one meanwhile.
    CHECK(bf16::choose({4096, 4096, 64}).starts_with("ws128x128"));
    CHECK(hopper<float8_e4m3>::choose({8192, 8192, 128}).starts_with("ws128x128"));
    // With one column of tiles, a block beside it would have nothing to do.
    CHECK(bf16::choose({65536, 128, 8192}) == "ws256x128_2x1");
    CHECK(bf16::choose({65536, 512, 8192}) != "ws256x128_2x1");
    // Few tiles: smaller ones, of blocks without peers.
    CHECK_FALSE(bf16::choose({512, 512, 8192}).starts_with("pair_"));
}

// Each was the fastest of those measured on an H200 (benchmark/results/gpu), with 1.2 to 2 times the speed of what was taken
// before.
TEST_CASE("tiles for which an H200 was fastest", "[gemm][choose][hopper]")
{
    CHECK(hopper<bfloat16>::choose({1024, 1024, 1024}) == "ws64x128");
    CHECK(hopper<bfloat16>::choose({256, 4096, 4096}) == "ws64x128");
    // Sums of two waves keep the tensor core busier than those of one, unless both are waited for to be promoted.
    for (const long_index_t k : {4096, 14336}) {
        CHECK(hopper<bfloat16>::choose({128, 4096, k}) == "ws32x128");
        CHECK(hopper<float8_e4m3>::choose({128, 4096, k}) == "ws64x64");
        const std::string few = hopper<bfloat16>::choose({64, 4096, k});
        CHECK((few == "ws16x128" || few == "ws32x64"));
    }
    // 128 and 96 tiles of 192 columns, of which no multiprocessor has two. Sums of int8 have the rate of fp8.
    for (const gemm_size& size : {gemm_size{1000, 3000, 5120}, {1536, 1536, 4096}}) {
        CHECK(hopper<bfloat16>::choose(size) == "ws128x192_2x1");
        CHECK(hopper<std::int8_t>::choose(size) == "ws128x192_2x1");
    }
    CHECK(hopper<float8_e4m3>::choose({1024, 1024, 1024}) == "ws64x128");
    CHECK(hopper<float8_e4m3>::choose({512, 512, 512}) == "ws32x64");
    CHECK(hopper<float8_e4m3>::choose({64, 4096, 4096}) == "ws32x64");
    // mma.sync has a third of the rate of wgmma.
    const tile_description warps = describe<gemm_tiles<arch::sm_90a, bfloat16>::t128x128>("t128x128");
    const tile_description warpgroups = hopper<bfloat16>::all[4];
    CHECK(estimate_tile({4096, 4096, 4096}, warps, chip::sm_90a).cycles >
          1.4 * estimate_tile({4096, 4096, 4096}, warpgroups, chip::sm_90a).cycles);
}

TEST_CASE("clusters are counted whole, and share what they load", "[gemm][choose][hopper]")
{
    tile_description pair = hopper<bfloat16>::all[0], alone = pair;
    alone.cluster_m = 1;
    const auto estimate = [](const tile_description& t, long_index_t m) {
        return estimate_tile({m, 256, 16384}, t, chip::sm_90a);
    };
    CHECK(estimate(pair, 1).tiles == 2);
    CHECK(estimate(alone, 1).tiles == 1);
    CHECK(estimate(pair, 128 * 132).rounds == 1);
    CHECK(estimate(pair, 128 * 132 + 1).rounds == 2);
    CHECK(estimate(pair, 128 * 132).busy < estimate(alone, 128 * 132).busy);
    tile_description hidden = pair;
    hidden.hides_output = true;
    CHECK(estimate(hidden, 128 * 264).busy < estimate(pair, 128 * 264).busy);
}

TEST_CASE("long k of few tiles is split, the rest is not", "[gemm][choose][hopper]")
{
    const tile_description &wide = hopper<bfloat16>::all[0], &ws64x128 = hopper<bfloat16>::all[7];
    CHECK(choose_splits({8192, 8192, 8192}, wide, chip::sm_90a) == 1);
    CHECK(choose_splits({256, 256, 128}, wide, chip::sm_90a) == 1);
    const int few = choose_splits({64, 4096, 4096}, ws64x128, chip::sm_90a); // 32 tiles, 132 multiprocessors
    CHECK(few >= 2);
    CHECK(few <= 4);
    const int splits = choose_splits({256, 256, 65536}, wide, chip::sm_90a);
    CHECK(splits > 16);
    CHECK(splits <= 64);
    CHECK(choose_splits({256, 256, 65536}, wide, chip::sm_90a, 8) == 8);
    CHECK(choose_splits({0, 256, 65536}, wide, chip::sm_90a) == 1);
}

TEST_CASE("the L2 cache gives to all multiprocessors together what it has", "[gemm][choose][hopper]")
{
    // 16 KB a step to each: 108 of them ask for more than the 5120 bytes a cycle of an A100, 54 do not.
    const tile_description small = hopper<bfloat16>::all[12];
    const chip_speed speed = chip::speed_of(chip::sm_80);
    CHECK(detail::step_cycles(small, speed, 1, 108) > 16384. * 108 / 5120);
    CHECK(detail::step_cycles(small, speed, 1, 54) < detail::step_cycles(small, speed, 1, 108));
    CHECK(detail::step_cycles(small, speed, 1, 54) == detail::step_cycles(small, speed, 1, 1));
    const tile_description square = hopper<bfloat16>::all[2];
    // In a single round, nothing hides the store of the result.
    tile_description shown = square;
    shown.hides_output = false;
    const auto busy = [](const tile_description& t, long_index_t m) {
        return estimate_tile({m, 128, 256}, t, chip::sm_90a).busy;
    };
    CHECK(busy(square, 128 * 132) == busy(shown, 128 * 132));
    CHECK(busy(square, 128 * 133) < busy(shown, 128 * 133));
}

TEST_CASE("the GPU at hand goes before the product that its chip is known by", "[gemm][choose]")
{
    chip_info h200 = chip::sm_90a;
    h200.memory_gigabytes = 4915;
    const tile_description& rows = hopper<bfloat16>::all[5];
    const gemm_size weights{16, 16384, 16384};
    CHECK(estimate_tile(weights, rows, h200).memory * 4915 ==
          Approx(estimate_tile(weights, rows, chip::sm_90a).memory * 3350));
    chip_info half_chip = chip::sm_90a;
    half_chip.compute_units = 66;
    CHECK(estimate_tile({128 * 132, 256, 64}, hopper<bfloat16>::all[0], half_chip).rounds == 2);
}

TEST_CASE("every chip has a speed of its own", "[gemm][choose]")
{
    for (const chip_info* chip : chip::all)
        for (const chip_info* other : chip::all)
            CHECK((chip->speed == other->speed) == (chip == other));
}

TEST_CASE("a batch fills the chip as more rows would", "[gemm][choose]")
{
    CHECK(cdna3::choose({256, 256, 1024}) != "t128x128");
    CHECK(cdna3::choose({256, 256, 1024, 1000}) == "t128x128");
}

TEST_CASE("the estimate grows with every size", "[gemm][choose]")
{
    for (const tile_description& t : cdna3::all)
        for (long_index_t size = 1; size < 20000; size = size * 3 / 2 + 1) {
            const auto cycles = [&](gemm_size s) { return estimate_tile(s, t, chip::gfx942).cycles; };
            const double now = cycles({size, size, size});
            CHECK(now > 0);
            CHECK(cycles({2 * size, size, size}) >= now);
            CHECK(cycles({size, 2 * size, size}) >= now);
            CHECK(cycles({size, size, 2 * size}) >= now);
            CHECK(cycles({size, size, size, 2}) >= now);
        }
}

TEST_CASE("the last round counts whole, however few blocks it has", "[gemm][choose]")
{
    const auto rounds = [](long_index_t tiles) {
        return estimate_tile({128 * tiles, 128, 4096}, large, chip::gfx942).rounds;
    };
    CHECK(rounds(304) == 1);
    CHECK(rounds(305) == 2);
    CHECK(rounds(608) == 2);
}

TEST_CASE("what the caches cannot keep is read again", "[gemm][choose]")
{
    // 32 x 32 tiles of 128 rows: with 1024 blocks at a time A and B are read once, with 256 (16 x 16 tiles) twice.
    const gemm_size size{4096, 4096, 4096};
    const double operands = 2 * 4096. * 4096 * 2;
    CHECK(detail::operand_bytes(size, large, 1024) == operands);
    CHECK(detail::operand_bytes(size, large, 256) == 2 * operands);
}

TEST_CASE("an empty product takes some tile and no time", "[gemm][choose]")
{
    CHECK(choose_tile({0, 128, 128}, chip::gfx942, cdna3::all));
    CHECK(estimate_tile({0, 128, 128}, large, chip::gfx942).cycles == 0);
    CHECK(choose_tile({128, 128, 0}, chip::gfx942, cdna3::all));
}

tile_description with(const char* name, long shared_bytes, int accumulators = 64, int threads = 256)
{
    tile_description t = large;
    t.name = name;
    t.shared_bytes = shared_bytes;
    t.accumulators = accumulators;
    t.threads = threads;
    return t;
}

TEST_CASE("what does not fit is left out, and named where nothing fits", "[gemm][choose]")
{
    const gemm_size size{4096, 4096, 4096};
    tile_description huge = with("two stages of 64 KB", 131072, 128, 512);
    huge.block_m = huge.block_n = 256;
    huge.block_k = 64;
    huge.waves_m = 2;
    huge.waves_n = 4;
    const tile_description mixed[] = {huge, cdna3::all[0]};
    CHECK(choose_tile(size, chip::gfx942, mixed).index == 1);
    CHECK(choose_tile(size, chip::gfx950, mixed).index == 0);

    const tile_description too_large[] = {with("t256x256", 131072)};
    const tile_choice none = choose_tile(size, chip::gfx942, too_large);
    CHECK_FALSE(none);
    CHECK(none.why.code() == status_code::unsupported);
    CHECK(std::string(none.why.message()) ==
          "tile t256x256 needs 131072 bytes of shared memory; a block of gfx942 has 65536");
    CHECK(std::string(fits_chip(with("fat", 1024, 240), chip::gfx1100).message()) ==
          "tile fat needs 240 registers for accumulators; a lane of 256 threads on gfx1100 has 224");
    // With 8 waves, two share the registers of a SIMD; with 16 waves, four do.
    CHECK(fits_chip(with("fine", 1024, 192, 512), chip::gfx942).ok());
    CHECK(std::string(fits_chip(with("fat", 1024, 256, 512), chip::gfx942).message()) ==
          "tile fat needs 256 registers for accumulators; a lane of 512 threads on gfx942 has 224");
    CHECK(std::string(fits_chip(with("fat", 1024, 128, 1024), chip::gfx942).message()) ==
          "tile fat needs 128 registers for accumulators; a lane of 1024 threads on gfx942 has 96");
    tile_description busy = with("busy", 1024, 400);
    busy.operands = 200;
    CHECK(std::string(fits_chip(busy, chip::gfx942).message()) ==
          "tile busy needs 600 registers for accumulators and operands; a lane of 256 threads on gfx942 has 512");
    CHECK(std::string(fits_chip(with("crowd", 1024, 64, 2048), chip::sm_80).message()) ==
          "tile crowd needs 2048 threads; a block of sm_80 has at most 1024");
    CHECK(std::string(choose_tile(size, chip::gfx942, nullptr, 0).why.message()) == "the list of tiles is empty");
}

TEST_CASE("a name overrides the estimate, and is refused where it cannot be had", "[gemm][choose]")
{
    const gemm_size size{4096, 4096, 4096};
    CHECK(choose_tile(size, chip::gfx942, cdna3::all, "t32x128").index == 2);
    CHECK(choose_tile(size, chip::gfx942, cdna3::all, "").index == 0);
    const tile_choice unknown = choose_tile(size, chip::gfx942, cdna3::all, "larg");
    CHECK_FALSE(unknown);
    CHECK(unknown.why.code() == status_code::invalid_argument);
    CHECK(std::string(unknown.why.message()) == "there is no tile \"larg\"; there are t128x128, t64x64, t32x128");
    const tile_description list[] = {cdna3::all[1], with("t256x256", 131072)};
    CHECK(choose_tile(size, chip::gfx942, list, "t256x256").why.code() == status_code::unsupported);
}

} // namespace
} // namespace tegula::test
