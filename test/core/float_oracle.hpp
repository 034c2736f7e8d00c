#pragma once

#include <tegula/core/number_traits.hpp>

#include "test/catch.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

/// Counts disagreements and remembers the first, so that loops over millions of values make one assertion.
struct disagreements
{
    long count = 0;
    double first_input = 0;
    unsigned long expected = 0, actual = 0;

    void check(double input, unsigned long want, unsigned long got)
    {
        if (want != got && count++ == 0) {
            first_input = input;
            expected = want;
            actual = got;
        }
    }
    void require_none() const
    {
        INFO("first at " << first_input << ": expected pattern " << expected << ", got " << actual);
        REQUIRE(count == 0);
    }
};

template <class To, class From>
To bits_as(From x)
{
    static_assert(sizeof(To) == sizeof(From));
    To y;
    std::memcpy(&y, &x, sizeof(y));
    return y;
}

inline float float_of(std::uint32_t pattern) { return bits_as<float>(pattern); }

/// xorshift: the tests' own source of patterns.
struct pattern_source
{
    std::uint64_t state = 88172645463325252ull;
    std::uint64_t operator()()
    {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
};

/// The positive finite values of a format from its definition, by pattern; then the value one past the largest.
template <class Format>
std::vector<double> values_of()
{
    std::vector<double> values;
    const int mantissas = 1 << Format::mantissa_bits;
    for (std::uint32_t pattern = 0; pattern <= Format::max_bits + 1; ++pattern) {
        const int exponent = static_cast<int>(pattern >> Format::mantissa_bits);
        const int mantissa = static_cast<int>(pattern) & (mantissas - 1);
        values.push_back(exponent == 0
                             ? std::ldexp(mantissa, 1 - Format::bias - Format::mantissa_bits)
                             : std::ldexp(mantissas + mantissa, exponent - Format::bias - Format::mantissa_bits));
    }
    return values;
}

/// Checks that every midpoint between neighbours goes to the even one, and what lies one step beside it to the nearer,
/// with both signs. `Native` is the type converted from; Overflowed the pattern past the largest value.
template <class T, class Native, class Encode>
void check_midpoints(Encode encode, std::uint32_t overflowed)
{
    using format = typename T::format;
    const auto values = values_of<format>();
    const Native infinity = std::numeric_limits<Native>::infinity();
    disagreements wrong;
    const auto check = [&](Native x, std::uint32_t want) {
        const std::uint32_t magnitude = want > format::max_bits ? overflowed : want;
        const bool unsigned_result =
            format::specials == tegula::float_specials::fnuz && (want == 0 || magnitude == format::nan_bits);
        wrong.check(x, magnitude, encode(x));
        wrong.check(-x, unsigned_result ? magnitude : magnitude | format::sign_bit, encode(-x));
    };
    for (std::uint32_t lower = 0; lower <= format::max_bits; ++lower) {
        const auto middle = static_cast<Native>((values[lower] + values[lower + 1]) / 2);
        check(static_cast<Native>(values[lower]), lower);
        check(std::nextafter(middle, Native{0}), lower);
        check(middle, lower + (lower & 1));
        check(std::nextafter(middle, infinity), lower + 1);
    }
    wrong.require_none();
}
