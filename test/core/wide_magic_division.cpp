#include "test/catch.hpp"

#include <tegula/core/wide_magic_division.hpp>

#include <random>

using namespace tegula;

namespace {

constexpr long_index_t largest = INT64_MAX;

bool exact(long_index_t x, long_index_t d)
{
    const wide_quotient_remainder q = wide_magic_divisor(d).divide(x);
    return q.quotient == x / d && q.remainder == x % d;
}

/// Around the multiples of the divisor and powers of two, where a wrong multiplier or shift shows.
bool exact_on_tricky_dividends(long_index_t d)
{
    const auto exact_around = [&](unsigned long long x) {
        for (unsigned long long near = x - (x > 0); near <= x + 1; ++near)
            if (near <= static_cast<unsigned long long>(largest) && !exact(static_cast<long_index_t>(near), d))
                return false;
        return true;
    };
    for (int bit = 0; bit < 64; ++bit)
        if (!exact_around(1ull << bit))
            return false;
    for (unsigned long long multiple : {1ull, 2ull, 3ull, 1000ull})
        if (!exact_around(multiple * static_cast<unsigned long long>(d)))
            return false;
    return exact(0, d) && exact(largest, d) &&
           exact_around(static_cast<unsigned long long>(largest) / static_cast<unsigned long long>(d) *
                        static_cast<unsigned long long>(d));
}

static_assert(wide_magic_divisor(7).divide(largest).quotient == largest / 7);
static_assert(wide_magic_divisor(largest).divide(largest).quotient == 1);

} // namespace

TEST_CASE("64-bit division by multiplication is exact")
{
    for (long_index_t d = 1; d <= 300; ++d)
        REQUIRE(exact_on_tricky_dividends(d));
    for (int bit = 8; bit < 63; ++bit)
        for (long_index_t near = -1; near <= 1; ++near)
            REQUIRE(exact_on_tricky_dividends((1ll << bit) + near));
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const auto d = static_cast<long_index_t>(random() >> (1 + random() % 63));
        REQUIRE(exact_on_tricky_dividends(d > 0 ? d : 1));
        REQUIRE(exact(static_cast<long_index_t>(random() >> (1 + random() % 63)), d > 0 ? d : 1));
    }
}

TEST_CASE("An empty dimension has a 64-bit divisor, which divides 0")
{
    const wide_quotient_remainder q = wide_magic_divisor(0).divide(0);
    CHECK(q.quotient == 0);
    CHECK(q.remainder == 0);
}
