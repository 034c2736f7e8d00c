#include <tegula/kernel/gemm/forms/quantized_weights_family.hpp>

#include "test/catch.hpp"

#include <string>

using namespace tegula;

namespace {

/// The choice among the tiles for weights of 4 bits on a target, for products that every tile takes.
template <class Target, class Form = quantized<int4x2, 128, half>>
struct weights
{
    using tiles = tiles_for_weights<Target, bfloat16, Form>;

    struct choice
    {
        std::string name;
        int splits;
        tile_estimate estimate;
    };
    static tile_description described(int number)
    {
        return tiles::list::with(number,
                                 [](auto tile) { return tiles::template described<typename decltype(tile)::type>(); });
    }
    static std::string name_of(int number)
    {
        const tile_description t = described(number);
        return (t.loads_ahead() ? "ws" : "t") + std::to_string(t.block_m) + "x" + std::to_string(t.block_n) +
               (t.packs_weights ? "_packed" : "");
    }
    static choice choose(const gemm_size& size, bool may_share = true, bool by_copies = true)
    {
        const auto c = tiles::choose(size, may_share, [&](auto tile) {
            return by_copies || !requires { decltype(tile)::type::making_threads; };
        });
        return {name_of(c.number), c.splits, estimate_tile(size, described(c.number), Target::chip(), c.splits)};
    }
    static tile_description with_name(const std::string& name)
    {
        for (int i = 0; i < tiles::list::count; ++i)
            if (name_of(i) == name)
                return described(i);
        return {};
    }
};

using hopper = weights<arch::sm_90a>;
using cdna = weights<arch::gfx942>;

} // namespace

TEST_CASE("few rows by quantised weights take the tiles that keep them packed", "[gemm][choose]")
{
    for (const long_index_t m : {1, 3, 16})
        for (const auto& [n, k] : {std::pair<long_index_t, long_index_t>{2048, 2048}, {4096, 14336}, {28672, 8192}}) {
            CHECK(hopper::choose({m, n, k}).name.starts_with("t16x"));
            CHECK(cdna::choose({m, n, k}).name.starts_with("t16x"));
        }
    CHECK(hopper::choose({32, 28672, 8192}).name == "t32x128_packed");
    CHECK(cdna::choose({8192, 8192, 8192}).name == "t128x128");
}

TEST_CASE("many rows by quantised weights go by wgmma on sm_90a", "[gemm][choose]")
{
    CHECK(hopper::choose({4096, 4096, 4096}).name == "ws256x128");
    CHECK(hopper::choose({8192, 28672, 8192}).name == "ws256x128");
    CHECK(hopper::choose({512, 4096, 4096}).name.starts_with("ws"));
    CHECK(weights<arch::sm_90a, quantized<std::int8_t>>::choose({4096, 4096, 4096}).name == "ws256x128");
    // Where tensor copies do not reach A, and on other chips.
    CHECK_FALSE(hopper::choose({4096, 4096, 4096}, true, false).name.starts_with("ws"));
    CHECK_FALSE(weights<arch::sm_80>::choose({4096, 4096, 4096}).name.starts_with("ws"));
    // From some number of rows on wgmma is taken, and for all beyond.
    bool before = false;
    for (long_index_t m = 16; m <= 4096; m *= 2) {
        const bool now = hopper::choose({m, 8192, 8192}).name.starts_with("ws");
        INFO(m);
        CHECK(now >= before);
        before = now;
    }
    CHECK(before);
}

TEST_CASE("groups decide whether weights stay packed, zero points for how many rows", "[gemm][choose]")
{
    CHECK(weights<arch::sm_80, quantized<int4x2, 48>>::choose({4, 28672, 8192}).name == "t32x128");
    using with_zeros = weights<arch::sm_80, quantized<uint4x2, 128, half, std::uint8_t>>;
    CHECK(with_zeros::with_name("t16x128_packed").block_m == 16);
    CHECK(with_zeros::with_name("t32x128_packed").block_m == 0);
    CHECK(weights<arch::sm_80>::with_name("t32x128_packed").block_m == 32);
    CHECK(cdna::with_name("t64x128_packed").block_m == 64);
    CHECK(weights<arch::gfx1201>::with_name("t16x128_packed").block_m == 0);
}

TEST_CASE("blocks share the k of few rows until most compute units read", "[gemm][choose]")
{
    const auto busy = [](const auto& c, const chip_info& chip) {
        return static_cast<double>(c.estimate.tiles) / chip::speed_of(chip).compute_units;
    };
    CHECK(busy(cdna::choose({1, 4096, 4096}), chip::gfx942) > 0.8);
    CHECK(busy(cdna::choose({16, 4096, 14336}), chip::gfx942) > 0.8);
    CHECK(busy(hopper::choose({1, 4096, 14336}), chip::sm_90a) > 0.8);
    CHECK(hopper::choose({1, 4096, 14336}, false).splits == 1);
    // A second launch takes longer than these weights.
    CHECK(hopper::choose({1, 2048, 2048}).splits == 1);
    // Memory's share counts half a byte for each weight, the rows of A and the partial sums.
    const auto one = cdna::choose({1, 4096, 14336});
    const double bytes = 4096. * 14336 / 2;
    const chip_speed speed = chip::speed_of(chip::gfx942);
    const double cycles = bytes / (speed.memory_gigabytes * 1000. / speed.megahertz);
    CHECK(one.estimate.memory > cycles);
    CHECK(one.estimate.memory < 1.1 * cycles);
    CHECK(one.estimate.sums > speed.launch_cycles);
    // Conversions are a part of a step: without them it would be shorter.
    const tile_description packed = cdna::with_name("t16x128_packed");
    tile_description free = packed;
    free.b_instructions = 0;
    CHECK(estimate_tile({1, 28672, 8192}, free, chip::gfx942).busy <
          0.9 * estimate_tile({1, 28672, 8192}, packed, chip::gfx942).busy);
}
