// The speed of the algebra at run time: a thousand random encodings validated, inverted at every element, turned into
// other notations, and changed into another distribution of the same tile. items_per_second counts encodings (pairs of
// them where they are changed).
//
// `cmake --build build --target record_layout` keeps the figures in results/layout.json.

#include <tegula/chip/chip_info.hpp>
#include <tegula/conversion/conversion_plan.hpp>
#include <tegula/notation/linear_encoding.hpp>
#include <tegula/notation/strided_encoding.hpp>

#include "test/conversion/conversion_pairs.hpp"

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using namespace tegula;

constexpr int count = 1000;

const std::vector<conversion_pairs::encoding_pair>& pairs()
{
    static const auto all = [] {
        std::vector<conversion_pairs::encoding_pair> made;
        for (unsigned seed = 1; made.size() < count; ++seed)
            made.push_back(conversion_pairs::generator(seed).pair(64));
        return made;
    }();
    return all;
}

/// Runs f(pair) for all of them; what it returns is kept from being optimised away.
template <class F>
void for_all(benchmark::State& state, const F& f)
{
    for (auto _ : state)
        for (const auto& pair : pairs())
            benchmark::DoNotOptimize(f(pair));
    state.SetItemsProcessed(state.iterations() * count);
}

void validated(benchmark::State& state)
{
    for_all(state, [](const auto& pair) { return validate(pair.source).size(); });
}

/// The first holder of every element of the tile.
void inverted(benchmark::State& state)
{
    for_all(state, [](const auto& pair) {
        const digit_table table = make_digit_table(pair.source);
        const long_indices lengths = x_lengths(pair.source);
        long_index_t total = 1, sum = 0;
        for (long_index_t length : lengths)
            total *= length;
        for (long_index_t flat = 0; flat < total; ++flat)
            for (long_index_t p : find_owner(table, unflatten(flat, lengths, lengths.size()), 0).p)
                sum += p;
        return sum;
    });
}

/// Into thread-value layouts, and into linear layouts where all lengths are powers of two.
void to_other_notations(benchmark::State& state)
{
    for_all(state, [](const auto& pair) { return to_strided(pair.source).ok() + to_linear(pair.source).ok(); });
}

/// The plan of the change from one distribution to another of the tile, elements of 16 bits on gfx942.
void planned(benchmark::State& state)
{
    for_all(state,
            [](const auto& pair) { return plan_conversion(chip::gfx942, pair.source, pair.destination, 16).cost; });
}

BENCHMARK(validated)->Unit(benchmark::kMillisecond);
BENCHMARK(inverted)->Unit(benchmark::kMillisecond);
BENCHMARK(to_other_notations)->Unit(benchmark::kMillisecond);
BENCHMARK(planned)->Unit(benchmark::kMillisecond);

} // namespace
