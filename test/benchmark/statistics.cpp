// The arithmetic of bench_gemm.

#include "benchmark/gemm/statistics.hpp"
#include "test/catch.hpp"

using namespace gemm_benchmark;

TEST_CASE("median", "[benchmark]")
{
    CHECK(median({3, 1, 2}) == 2);
    CHECK(median({4, 1, 3, 2}) == 2.5);
    CHECK(median({5}) == 5);
    CHECK(std::isnan(median({})));
}

TEST_CASE("spread", "[benchmark]")
{
    CHECK(spread({2, 1, 4}) == 1.5);
    CHECK(spread({3, 3}) == 0);
    CHECK(std::isnan(spread({})));
}

TEST_CASE("geometric mean", "[benchmark]")
{
    CHECK(geometric_mean({2, 8}) == Approx(4));
    CHECK(geometric_mean({0.5, 2}) == Approx(1));
    CHECK(std::isnan(geometric_mean({})));
    CHECK(std::isnan(geometric_mean({1, 0})));
    CHECK(std::isnan(geometric_mean({1, -2})));
}

TEST_CASE("ratios are taken round by round", "[benchmark]")
{
    // The clock drops by half after the second round: the medians 1.5 and 3 would tell 2 as well, but of rounds 1 and 3
    // alone each ratio is 2.
    CHECK(median_ratio({2, 2, 4}, {1, 1, 2}) == 2);
    // One disturbed round does not count.
    CHECK(median_ratio({1, 100, 1}, {1, 1, 1}) == 1);
    CHECK(median_ratio({6, 4, 2}, {1, 2, 2}) == 2);
    CHECK(std::isnan(median_ratio({}, {})));
}

TEST_CASE("TFLOP/s of a product", "[benchmark]")
{
    CHECK(shape{4096, 4096, 4096}.flops() == 137438953472.);
    CHECK(teraflops({4096, 4096, 4096}, 0.001) == Approx(137.438953472));
    // More than 2^31 in each factor's product: no integer overflows.
    CHECK(shape{16384, 16384, 16384}.flops() == 8796093022208.);
}

TEST_CASE("sets of matrices are larger than the cache", "[benchmark]")
{
    constexpr double mega = 1 << 20, plenty = 1e12;
    CHECK(rotation_count(1 * mega, 50 * mega, plenty) == 125);
    CHECK(rotation_count(30 * mega, 50 * mega, plenty) == 5);
    CHECK(rotation_count(1000 * mega, 50 * mega, plenty) == 2); // never the same matrices twice in a row
    CHECK(rotation_count(1 * mega, 0, plenty) == 2);
    CHECK(rotation_count(1 * mega, 50 * mega, 100 * mega) == 100);
    CHECK(rotation_count(100 * mega, 50 * mega, 150 * mega) == 1);
    CHECK(rotation_count(100 * mega, 50 * mega, 0) == 1);
    CHECK(rotation_count(0.01 * mega, 50 * mega, plenty) == 128);
    for (double set : {1., 7., 24., 51., 130.})
        CHECK(rotation_count(set * mega, 50 * mega, plenty) * set >= 2 * 50);
}

TEST_CASE("launches of a group are whole turns through the sets", "[benchmark]")
{
    CHECK(launches_of_group(0.001, 0.01, 1) == 10);
    CHECK(launches_of_group(0.001, 0.01, 4) == 12);
    CHECK(launches_of_group(1, 0.01, 3) == 3); // a launch longer than the group
    CHECK(launches_of_group(0.001, 0, 5) == 5);
    CHECK(launches_of_group(1e-9, 1, 1) == 10000);
    CHECK(launches_of_group(0, 1, 7) % 7 == 0);
}

TEST_CASE("settling waits for a drift to end", "[benchmark]")
{
    settling drift(4, 0.01);
    for (int i = 0; i < 7; ++i) {
        drift.add(1);
        CHECK_FALSE(drift.settled()); // too few to tell
    }
    drift.add(1);
    CHECK(drift.settled());

    settling falling(4, 0.01);
    double seconds = 1;
    for (int i = 0; i < 40; ++i, seconds *= 0.98) {
        falling.add(seconds);
        CHECK_FALSE(falling.settled());
    }
    int more = 0;
    while (!falling.settled() && more < 100) {
        falling.add(seconds);
        ++more;
    }
    CHECK(more >= 4);
    CHECK(more <= 8);

    settling noisy(8, 0.01);
    for (int i = 0; i < 16; ++i)
        noisy.add(i % 2 == 0 ? 1 : 1.3); // the medians of both halves are the same
    CHECK(noisy.settled());
}
