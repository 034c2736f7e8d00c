// Loops over compile-time counters, those included that are longer than one fold.

#include <tegula/core/static_for.hpp>

namespace {

/// A number that depends on the order of the counters 0 ... n - 1.
constexpr long mix(long all, long i) { return (all * 3 + i) % 1000003; }

template <int N>
constexpr bool counts_in_order()
{
    long expected = 0, found = 0;
    for (int i = 0; i < N; ++i)
        expected = mix(expected, i);
    tegula::static_for<N>([&](auto i) { found = mix(found, decltype(i)::value); });
    return found == expected;
}

static_assert(counts_in_order<0>() && counts_in_order<3>() && counts_in_order<5>() && counts_in_order<256>());
static_assert(counts_in_order<257>() && counts_in_order<512>() && counts_in_order<700>());

} // namespace
