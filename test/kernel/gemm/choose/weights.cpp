#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/choose/describe_weights.hpp>
#include <tegula/kernel/gemm/forms/weight_tiles.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"

#include <string>

using namespace tegula;

namespace {

/// The tiles for weights of 4 bits on a target, and the best of them with the best number of splits.
template <class Target>
struct tiles_for_weights
{
    using form = quantized<int4x2, 128, half>;
    using tiles = gemm_tiles<Target, bfloat16>;
    using packed = weight_tiles<Target, bfloat16>;
    template <class Tile>
    static constexpr tile_description described(const char* name)
    {
        return describe_weights<Tile, form>(describe<Tile>(name));
    }
    static constexpr int count = 6;
    static const tile_description* all()
    {
        static constexpr tile_description tiles_of_all[count] = {
            described<typename tiles::t128x128>("t128x128"),
            described<typename tiles::t64x64>("t64x64"),
            described<typename tiles::t32x128>("t32x128"),
            described<typename packed::t16x64_packed>("t16x64_packed"),
            described<typename packed::t16x128_packed>("t16x128_packed"),
            described<typename packed::t32x128_packed>("t32x128_packed"),
        };
        return tiles_of_all;
    }

    struct choice
    {
        std::string name;
        int splits;
        tile_estimate estimate;
    };
    static choice choose(const gemm_size& size)
    {
        const chip_info& chip = Target::chip();
        const tile_choice whole = choose_tile(size, chip, all(), count);
        REQUIRE(whole);
        const double cycles = estimate_tile(size, all()[whole.index], chip).cycles;
        const split_choice split = choose_split_tile(size, chip, all(), count, cycles);
        const int index = split ? split.index : whole.index, splits = split ? split.splits : 1;
        return {all()[index].name, splits, estimate_tile(size, all()[index], chip, splits)};
    }
};

} // namespace

TEST_CASE("few rows by quantised weights take the tiles that keep them packed", "[gemm][choose]")
{
    using hopper = tiles_for_weights<arch::sm_90a>;
    using cdna = tiles_for_weights<arch::gfx942>;
    for (const long_index_t m : {1, 3, 16})
        for (const auto& [n, k] : {std::pair<long_index_t, long_index_t>{2048, 2048}, {4096, 14336}, {28672, 8192}}) {
            CHECK(hopper::choose({m, n, k}).name.starts_with("t16x"));
            CHECK(cdna::choose({m, n, k}).name.starts_with("t16x"));
        }
    CHECK(hopper::choose({32, 28672, 8192}).name == "t32x128_packed");
    CHECK(cdna::choose({64, 4096, 14336}).name == "t32x128_packed");
    CHECK(cdna::choose({4096, 4096, 4096}).name == "t128x128");
}

TEST_CASE("blocks share the k of few rows until most compute units read", "[gemm][choose]")
{
    const auto busy = [](const auto& c, const chip_info& chip) {
        return static_cast<double>(c.estimate.tiles) / chip::speed_of(chip).compute_units;
    };
    CHECK(busy(tiles_for_weights<arch::gfx942>::choose({1, 4096, 4096}), chip::gfx942) > 0.8);
    CHECK(busy(tiles_for_weights<arch::gfx942>::choose({16, 4096, 14336}), chip::gfx942) > 0.8);
    CHECK(busy(tiles_for_weights<arch::sm_90a>::choose({1, 4096, 14336}), chip::sm_90a) > 0.8);
    // A second launch takes longer than these weights.
    CHECK(tiles_for_weights<arch::sm_90a>::choose({1, 2048, 2048}).splits == 1);
    // Memory's share counts half a byte for each weight, the rows of A and the partial sums.
    const auto one = tiles_for_weights<arch::gfx942>::choose({1, 4096, 14336});
    const double bytes = 4096. * 14336 / 2;
    const chip_speed speed = chip::speed_of(chip::gfx942);
    const double cycles = bytes / (speed.memory_gigabytes * 1000. / speed.megahertz);
    CHECK(one.estimate.memory > cycles);
    CHECK(one.estimate.memory < 1.1 * cycles);
    CHECK(one.estimate.sums > speed.launch_cycles);
    // Conversions are a part of a step: without them it would be shorter.
    tile_description free = tiles_for_weights<arch::gfx942>::all()[4];
    free.weight_instructions = 0;
    CHECK(estimate_tile({1, 28672, 8192}, free, chip::gfx942).busy <
          0.9 * estimate_tile({1, 28672, 8192}, tiles_for_weights<arch::gfx942>::all()[4], chip::gfx942).busy);
}
