// The loss of sums of fp8 products in the accumulators of wgmma and of mma.sync on sm_89, by a model of them. No shipped
// tile loses more than choose_tile lets it.

#include "test/catch.hpp"

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/core/float8.hpp>
#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/kernel/gemm/pair_atom.hpp>
#include <tegula/kernel/gemm/prologue/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>
#include <tegula/reference/random.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace tegula::test {
namespace {

/// The parts of a value that a sum keeps whose largest term has this exponent: 13 bits behind the leading one, the rest
/// cut off.
double kept(double value, int exponent)
{
    const double unit = std::ldexp(1.0, exponent - 13);
    return std::trunc(value / unit) * unit;
}

/// Products that are added at once: an instruction's 32, of mma.sync on sm_89 half of them (MMA-Sim, arXiv 2511.10909).
constexpr std::size_t of_wgmma = 32, of_sm_89 = 16;

/// The sum of products as the hardware computes it: `at_once` of them and the accumulator are aligned to the largest term,
/// what is kept of them is added. Every `promote_k` products the accumulator is added to a float; 0: never.
float truncated_sum(const std::vector<double>& products, long_index_t promote_k, std::size_t at_once)
{
    float promoted = 0;
    double accumulator = 0;
    for (std::size_t k = 0; k < products.size(); k += at_once) {
        if (promote_k > 0 && k % static_cast<std::size_t>(promote_k) == 0) {
            promoted += static_cast<float>(accumulator);
            accumulator = 0;
        }
        double largest = std::fabs(accumulator);
        for (std::size_t i = k; i < k + at_once; ++i)
            largest = std::max(largest, std::fabs(products[i]));
        if (largest == 0)
            continue;
        const int exponent = std::ilogb(largest);
        double sum = kept(accumulator, exponent);
        for (std::size_t i = k; i < k + at_once; ++i)
            sum += kept(products[i], exponent);
        accumulator = sum == 0 ? 0 : kept(sum, std::ilogb(sum));
    }
    return promoted + static_cast<float>(accumulator);
}

/// How much too small sums of k products of absolute values of normal numbers are, in per cent of the sum, on average.
double loss_in_percent(long_index_t k, long_index_t promote_k, std::size_t at_once = of_wgmma)
{
    constexpr int sums = 8;
    random_source random(7);
    const auto number = [&] { return static_cast<float>(float8_e4m3(static_cast<float>(std::fabs(random.normal())))); };
    double loss = 0;
    for (int s = 0; s < sums; ++s) {
        std::vector<double> products(static_cast<std::size_t>(k));
        double exact = 0;
        for (double& p : products)
            exact += p = static_cast<double>(number()) * number();
        loss += (exact - truncated_sum(products, promote_k, at_once)) / exact;
    }
    return 100 * loss / sums;
}

constexpr double most_loss = 0.25; // per cent; a rounding to bf16 is up to 0.39

TEST_CASE("sums of fp8 products that wgmma cuts off: what is lost without promotion and with it", "[gemm][hopper]")
{
    // As docs/gemm.md has them.
    CHECK(loss_in_percent(256, 0) == Approx(0.21).margin(0.02));
    CHECK(loss_in_percent(512, 0) == Approx(0.61).margin(0.04));
    CHECK(loss_in_percent(4096, 0) == Approx(7).margin(0.3));
    CHECK(loss_in_percent(16384, 0) == Approx(22).margin(1));
    CHECK(loss_in_percent(4096, 512) == Approx(0.61).margin(0.02));
    for (const long_index_t k : {512, 4096, 16384})
        CHECK(loss_in_percent(k, 128) == Approx(0.062).margin(0.008));
    CHECK(loss_in_percent(truncated_sum_k, 0) < most_loss);
    CHECK(loss_in_percent(2 * truncated_sum_k, 0) > 2 * most_loss);
}

TEST_CASE("sums of fp8 products that mma.sync cuts off on sm_89", "[gemm]")
{
    // As docs/gemm.md has them.
    CHECK(loss_in_percent(256, 0, of_sm_89) == Approx(0.22).margin(0.02));
    CHECK(loss_in_percent(4096, 0, of_sm_89) == Approx(7).margin(0.3));
    for (const long_index_t k : {512, 4096, 16384})
        CHECK(loss_in_percent(k, 128, of_sm_89) == Approx(0.075).margin(0.008));
}

template <class Tile>
tile_description checked(const char* name, std::size_t at_once = of_wgmma)
{
    const tile_description t = describe<Tile>(name);
    INFO(name << ", up to k = " << t.most_k << ", promoted every " << Tile::promote_k);
    CHECK(loss_in_percent(t.most_k > 0 ? t.most_k : 16384, Tile::promote_k, at_once) < most_loss);
    return t;
}

TEST_CASE("fp8 on sm_90a takes tiles that promote their sums, past a k where the others lose too much",
          "[gemm][hopper][choose]")
{
    using tiles = warp_specialized_tiles<arch::sm_90a, float8_e4m3>;
    const tile_description all[] = {checked<tiles::ws128x256_2x1>("ws128x256_2x1"),
                                    checked<tiles::ws256x128_1x2>("ws256x128_1x2"),
                                    checked<tiles::ws256x128_2x1>("ws256x128_2x1"),
                                    checked<tiles::ws128x192_2x1>("ws128x192_2x1"),
                                    checked<tiles::ws128x128_2x1>("ws128x128_2x1"),
                                    checked<tiles::ws64x256_2x1>("ws64x256_2x1"),
                                    checked<tiles::ws128x128>("ws128x128"),
                                    checked<tiles::ws16x128>("ws16x128"),
                                    checked<tiles::ws32x128>("ws32x128"),
                                    checked<tiles::ws64x128>("ws64x128"),
                                    checked<tiles::ws128x128_transposed>("ws128x128_transposed"),
                                    checked<tiles::ws16x64>("ws16x64"),
                                    checked<tiles::ws32x64>("ws32x64"),
                                    checked<tiles::ws64x64>("ws64x64"),
                                    checked<tiles::ws128x128_2x1_promoted>("ws128x128_2x1_promoted"),
                                    checked<tiles::ws128x128_promoted>("ws128x128_promoted")};
    const auto choose = [&](gemm_size size) {
        const tile_choice choice = choose_tile(size, chip::sm_90a, all);
        REQUIRE(choice);
        return std::string(all[choice.index].name);
    };
    for (const long_index_t size : {2048, 4096, 8192, 16384})
        CHECK(choose({size, size, size}) == "ws128x128_2x1_promoted");
    CHECK(choose({8192, 8192, 257}) == "ws128x128_2x1_promoted");
    CHECK(choose({8192, 8192, 256}) == "ws128x128_2x1"); // which hides the result of so short a k
    CHECK(choose({128, 14336, 4096}) == "ws128x128_promoted");
    CHECK(choose({16, 14336, 4096}) == "ws16x128");
    CHECK(choose({64, 14336, 4096}) == "ws64x128");
    // Asked for, or the only one: it is taken all the same.
    CHECK(choose_tile({8192, 8192, 8192}, chip::sm_90a, all, "ws128x256_2x1").index == 0);
    CHECK(choose_tile({8192, 8192, 8192}, chip::sm_90a, all, 6).index == 0);
    // Other types keep what their accumulators hold.
    using bf16 = warp_specialized_tiles<arch::sm_90a, bfloat16>;
    CHECK(describe<bf16::ws128x256_2x1>("").keeps_precision(1 << 20));
    CHECK(bf16::ws16x128::promote_k == 0);
}

TEST_CASE("fp8 on sm_89 takes tiles that promote their sums, past a k where the other loses too much", "[gemm][choose]")
{
    using tiles = gemm_tiles<arch::sm_89, float8_e4m3>;
    const tile_description all[] = {
        checked<tiles::t128x256>("t128x256", of_sm_89), checked<tiles::t128x128>("t128x128", of_sm_89),
        checked<tiles::t64x64>("t64x64", of_sm_89), checked<tiles::t32x128>("t32x128", of_sm_89)};
    const auto choose = [&](gemm_size size) {
        return std::string(all[choose_tile(size, chip::sm_89, all).index].name);
    };
    CHECK(choose({16384, 16384, 16384}) == "t128x128");
    CHECK(choose({16384, 16384, 257}) == "t128x128");
    CHECK(choose({16384, 16384, 256}) == "t128x256");
    // Pairs of the two types and other products that are made of these tiles.
    static_assert(
        describe<gemm_tile<arch::sm_89, pair_atom<arch::sm_89, float8_e5m2, float8_e4m3>, 64, 64, 64, 2, 2>>("")
            .keeps_precision(1 << 20));
    static_assert(prologue_tiles<arch::sm_89, float8_e4m3>::large::promote_k == 128);
    // Other types, and mma.sync of other chips, keep what their accumulators hold.
    static_assert(gemm_tiles<arch::sm_89, half>::t128x128::promote_k == 0);
    static_assert(gemm_tiles<arch::sm_89, std::int8_t>::t128x128::promote_k == 0);
    static_assert(describe<gemm_tiles<arch::sm_120a, float8_e4m3>::t128x256>("").keeps_precision(1 << 20));
}

} // namespace
} // namespace tegula::test
