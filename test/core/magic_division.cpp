#include "test/catch.hpp"

#include <tegula/core/magic_division.hpp>

#include <random>
#include <vector>

using namespace tegula;

namespace {

constexpr index_t largest = 2147483647;

bool exact(index_t x, index_t d)
{
    const quotient_remainder q = magic_divisor(d).divide(x);
    return q.quotient == x / d && q.remainder == x % d;
}

/// Dividends at which a wrong multiplier or shift shows: around multiples of the divisor and around powers of two.
std::vector<index_t> tricky_dividends(index_t d)
{
    std::vector<index_t> xs{0, 1, largest, largest - 1};
    const auto around = [&](std::int64_t x) {
        for (std::int64_t near = x - 1; near <= x + 1; ++near)
            if (near >= 0 && near <= largest)
                xs.push_back(static_cast<index_t>(near));
    };
    for (int bit = 0; bit < 32; ++bit)
        around(std::int64_t{1} << bit);
    for (std::int64_t multiple : {1, 2, 3, 1000})
        around(multiple * d);
    around(std::int64_t{largest} / d * d);
    return xs;
}

bool exact_on_tricky_dividends(index_t d)
{
    for (index_t x : tricky_dividends(d))
        if (!exact(x, d))
            return false;
    return true;
}

template <index_t D>
bool static_divisor_exact()
{
    for (index_t x : tricky_dividends(D)) {
        const quotient_remainder q = static_divisor<D>::divide(x);
        if (q.quotient != x / D || q.remainder != x % D)
            return false;
    }
    return static_divisor<D>::value() == D;
}

static_assert(magic_divisor(7).divide(largest).quotient == largest / 7);
static_assert(magic_divisor(largest).divide(largest).quotient == 1);
static_assert(static_divisor<96>::divide(1000).remainder == 1000 % 96);

} // namespace

TEST_CASE("magic division is exact for every small divisor", "[layout]")
{
    for (index_t d = 1; d <= 4096; ++d)
        if (!exact_on_tricky_dividends(d))
            FAIL("divisor " << d);
}

TEST_CASE("magic division is exact for divisors around powers of two and the largest", "[layout]")
{
    for (index_t d : tricky_dividends(3))
        if (d > 0 && !exact_on_tricky_dividends(d))
            FAIL("divisor " << d);
}

TEST_CASE("magic division is exact for random pairs", "[layout]")
{
    std::mt19937 random(1);
    std::uniform_int_distribution<index_t> any(1, largest);
    for (int i = 0; i < 2000000; ++i) {
        const index_t d = any(random) >> (random() % 31);
        const index_t x = any(random) >> (random() % 31);
        if (d > 0 && !exact(x, d))
            FAIL(x << " / " << d);
    }
    for (int i = 0; i < 20000; ++i)
        if (const index_t d = any(random); !exact_on_tricky_dividends(d))
            FAIL("divisor " << d);
}

TEST_CASE("the length of an empty dimension divides without harm", "[layout]")
{
    CHECK(magic_divisor(0).value() == 0);
    CHECK(magic_divisor(0).divide(5).quotient == 5);
}

TEST_CASE("division by a compile-time length is exact", "[layout]")
{
    CHECK(static_divisor_exact<1>());
    CHECK(static_divisor_exact<7>());
    CHECK(static_divisor_exact<64>());
    CHECK(static_divisor_exact<641>());
    CHECK(static_divisor_exact<1000000007>());
    CHECK(static_divisor_exact<largest>());
}
