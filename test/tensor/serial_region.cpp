// Code of one lane on whole tiles, and a softmax on its way from there to tile operations: docs/guide/distributing.md.
#include "host_tile.hpp"

#include <algorithm>
#include <cmath>

namespace {

constexpr index_t columns = 24;

/// The softmax of rows, in five steps from all-serial to all-distributed. The guide shows these functions.
template <class Target, class Tile>
struct softmax_steps
{
    using rows = reduced_distribution<Tile, 1>;
    using tile = distributed_tensor<float, Tile>;
    using line = distributed_tensor<float, rows>;
    static constexpr index_t row_count = Tile::x_length(0);
    static constexpr index_t scratch =
        std::max({region_scratch<Target, region_input<float, Tile>, region_input<float, rows>,
                                 region_output<float, Tile>>::bytes,
                  region_scratch<Target, region_input<float, Tile>, region_input<float, Tile>,
                                 region_output<float, Tile>>::bytes,
                  reduce_scratch_bytes<Target, float, Tile, 1>});

    region_context<Target> context;

    // [all-serial]
    tile all_serial(const tile& x) const
    {
        return on_lane0(context, in(x), out<Tile>(), [](const auto& from, const auto& to) {
            for (index_t i = 0; i < row_count; ++i) {
                float highest = from(i, 0), sum = 0;
                for (index_t j = 1; j < columns; ++j)
                    highest = maximum{}(highest, from(i, j));
                for (index_t j = 0; j < columns; ++j)
                    sum += tegula::exp<Target>(from(i, j) - highest);
                for (index_t j = 0; j < columns; ++j)
                    to.set(tegula::exp<Target>(from(i, j) - highest) / sum, i, j);
            }
        });
    }
    // [serial parts]
    line serial_maximum(const tile& x) const
    {
        return on_lane0(context, in(x), out<rows>(), [](const auto& from, const auto& to) {
            for (index_t i = 0; i < row_count; ++i) {
                float highest = from(i, 0);
                for (index_t j = 1; j < columns; ++j)
                    highest = maximum{}(highest, from(i, j));
                to.set(highest, i);
            }
        });
    }
    line serial_sum(const tile& x) const
    {
        return on_lane0(context, in(x), out<rows>(), [](const auto& from, const auto& to) {
            for (index_t i = 0; i < row_count; ++i) {
                float sum = 0;
                for (index_t j = 0; j < columns; ++j)
                    sum += from(i, j);
                to.set(sum, i);
            }
        });
    }
    // [division distributed]
    tile division_distributed(const tile& x) const
    {
        const line highest = serial_maximum(x);
        tile powers =
            on_lane0(context, in(x), in(highest), out<Tile>(), [](const auto& from, const auto& most, const auto& to) {
                for (index_t i = 0; i < row_count; ++i)
                    for (index_t j = 0; j < columns; ++j)
                        to.set(tegula::exp<Target>(from(i, j) - most(i)), i, j);
            });
        const line sum = serial_sum(powers);
        transform_with_reduced<1>(powers, sum, [](float power, float all) { return power / all; });
        return powers;
    }
    // [exponentials distributed]
    tile exponentials_distributed(const tile& x) const
    {
        const line highest = serial_maximum(x);
        tile powers = x;
        transform_with_reduced<1>(powers, highest, [](float e, float most) { return tegula::exp<Target>(e - most); });
        const line sum = serial_sum(powers);
        transform_with_reduced<1>(powers, sum, [](float power, float all) { return power / all; });
        return powers;
    }
    // [maximum distributed]
    tile maximum_distributed(const tile& x) const
    {
        const line highest = reduce<Target, 1>(x, maximum{}, context.scratch);
        tile powers = x;
        transform_with_reduced<1>(powers, highest, [](float e, float most) { return tegula::exp<Target>(e - most); });
        const line sum = serial_sum(powers);
        transform_with_reduced<1>(powers, sum, [](float power, float all) { return power / all; });
        return powers;
    }
    // [all distributed]
    tile all_distributed(const tile& x) const
    {
        const line highest = reduce<Target, 1>(x, maximum{}, context.scratch);
        tile powers = x;
        transform_with_reduced<1>(powers, highest, [](float e, float most) { return tegula::exp<Target>(e - most); });
        const line sum = reduce<Target, 1>(powers, plus{}, context.scratch);
        transform_with_reduced<1>(powers, sum, [](float power, float all) { return power / all; });
        return powers;
    }
    // [end]
};

float element_at(long flat) { return static_cast<float>(mixed(flat) >> 20) / 256.0f; }

/// [W / 8 * 2, 24]: 8 lanes and 3 registers along a row; waves take rows.
template <index_t W>
using rows_in_a_wave =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<2, W / 8>, sequence<3, 8>>,
                                                 tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<0>, sequence<1, 1>>,
                                                 sequence<2>, sequence<0>>>;
/// [W / 8, 24]: each row lies over two waves, each element in two lanes.
template <index_t W>
using rows_between_waves =
    tile_distribution<tile_distribution_encoding<sequence<2>, tuple<sequence<W / 8>, sequence<2, 4, 3>>,
                                                 tuple<sequence<2>, sequence<1, 0, 2>>,
                                                 tuple<sequence<0>, sequence<0, 0, 1>>, sequence<2>, sequence<2>>>;

template <class Target, class Tile>
void check_softmax_steps()
{
    using steps = softmax_steps<Target, Tile>;
    constexpr int threads = 2 * Target::wave_size;
    std::vector<result_of<Target, float, Tile>> got(5, result_of<Target, float, Tile>(threads));
    run_on<Target>(threads, steps::scratch, {}, [&] {
        const steps softmax{{Target::shared_memory()}};
        const auto x = tile_of<Target, Tile, float>(element_at);
        got[0].keep(softmax.all_serial(x));
        got[1].keep(softmax.division_distributed(x));
        got[2].keep(softmax.exponentials_distributed(x));
        got[3].keep(softmax.maximum_distributed(x));
        got[4].keep(softmax.all_distributed(x));
    });
    // The first four do the same operations in the same order; the last one adds in another order.
    const auto x = host_of<Tile, float>(element_at);
    host_tile<float> expected = x;
    for_each_row(x, 1, [&](const std::vector<float>& row, const std::vector<std::size_t>& places) {
        const float highest = *std::max_element(row.begin(), row.end());
        float sum = 0;
        for (float e : row)
            sum += tegula::exp<Target>(e - highest);
        for (std::size_t j = 0; j < row.size(); ++j)
            expected.values[places[j]] = tegula::exp<Target>(row[j] - highest) / sum;
    });
    for (std::size_t step = 0; step < 4; ++step)
        CHECK(got[step].wrong(expected) == 0);
    float worst = 0;
    for (std::size_t i = 0; i < got[4].all.size(); ++i)
        worst = std::max(worst, std::fabs(got[4].all[i] - got[0].all[i]) / got[0].all[i]);
    CHECK(worst < 24 * 0x1p-24f); // of a sum of 24 numbers
}

} // namespace

TEMPLATE_TEST_CASE("a softmax moves from one lane to all in five steps", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    check_softmax_steps<TestType, rows_in_a_wave<TestType::wave_size>>();
    check_softmax_steps<TestType, rows_between_waves<TestType::wave_size>>();
}

TEMPLATE_TEST_CASE("a whole tile becomes a tile of another distribution", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    constexpr index_t w = TestType::wave_size;
    using from = row_vectors<w, 3, 16, 4>;
    using to =
        tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<12, w / 32>, sequence<2, 32>>,
                                                     tuple<sequence<2>, sequence<1, 2>>,
                                                     tuple<sequence<0>, sequence<1, 1>>, sequence<1>, sequence<0>>>;
    result_of<TestType, int, to> got(2 * w);
    const auto number = [](long flat) { return static_cast<int>(flat * 3 + 1); };
    run_on<TestType>(2 * w, whole_tile_bytes<TestType, int, from>, {}, [&] {
        auto tile = tile_of<TestType, from, int>(number);
        const auto whole = to_whole<TestType>(tile, TestType::shared_memory());
        got.keep(to_distributed<TestType, to>(whole));
    });
    CHECK(got.wrong(host_of<from, int>(number)) == 0);
}

TEST_CASE("a serial region of registers needs no memory, and one that leaves elements out is found", "[tensor]")
{
    using target = arch::gfx942;
    using own = tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<3>, sequence<2, 2>>, tuple<>,
                                                             tuple<>, sequence<2, 1, 2>, sequence<0, 0, 1>>>;
    static_assert(whole_tile_bytes<target, int, own> == 0);
    std::vector<int> wrong(64);
    const auto counters = run_on<target>(64, 0, {}, [&] {
        const auto tile = tile_of<target, own, int>([](long i) { return static_cast<int>(i); });
        const auto turned =
            on_lane0(region_context<target>{}, in<own>(tile), out<own>(), [](const auto& from, const auto& to) {
                for (index_t i = 0; i < 3; ++i)
                    for (index_t j = 0; j < 4; ++j)
                        to.set(from(2 - i, 3 - j), i, j);
            });
        int bad = 0;
        sweep<target>(turned, [&](int e, const auto& x) { bad += e != 11 - (x[0] * 4 + x[1]); });
        wrong[static_cast<std::size_t>(target::thread_id())] = bad;
    });
    CHECK(counters.shared_stores == 0);
    CHECK(wrong == std::vector<int>(64));

    // An input of which each lane has a copy is not written to shared memory for the lane that reads it.
    using tile = rows_in_a_wave<64>;
    using copied =
        tile_distribution<tile_distribution_encoding<sequence<64>, tuple<sequence<3>, sequence<2>>, tuple<sequence<0>>,
                                                     tuple<sequence<0>>, sequence<2, 1>, sequence<0, 0>>>;
    using scratch = region_scratch<target, region_input<int, copied>, region_output<type_of_input, copied>>;
    static_assert(scratch::bytes == whole_tile_bytes<target, int, copied>);
    result_of<target, int, copied> negative(64);
    const auto of_copies = run_on<target>(64, scratch::bytes, {}, [&] {
        const auto numbers = tile_of<target, copied, int>([](long i) { return static_cast<int>(i); });
        negative.keep(on_lane0(region_context<target>{target::shared_memory()}, in(numbers), out<copied>(),
                               [](const auto& from, const auto& to) {
                                   for (index_t i = 0; i < 3; ++i)
                                       for (index_t j = 0; j < 2; ++j)
                                           to.set(-from(i, j), i, j);
                               }));
    });
    CHECK(of_copies.shared_stores == 6); // the output
    CHECK(negative.wrong(host_of<copied, int>([](long i) { return -static_cast<int>(i); })) == 0);

    const auto left_out = launch_on<target>(128, whole_tile_bytes<target, int, tile>, {}, [&] {
        on_lane0(region_context<target>{target::shared_memory()}, out<int, tile>(),
                 [](const auto& to) { to.set(1, 0, 0); });
    });
    CHECK_FALSE(left_out.status.ok());
}

namespace {

/// Each row less its maximum, times the sum of what is left: one function for one lane and for all. Whole numbers.
constexpr auto written_once = [](const auto& operations, const auto& tile) {
    const auto highest = operations.template reduce<1>(tile, maximum{});
    const auto below = operations.template with_reduced<1>(tile, highest, [](float e, float most) { return e - most; });
    const auto sum = operations.template reduce<1>(below, plus{});
    const auto product =
        operations.template with_reduced<1>(below, sum, [](float difference, float all) { return difference * all; });
    return operations.elementwise([](float a, float b) { return a - b; }, product, tile);
};

template <class Target, class Tile>
void check_written_once()
{
    constexpr int threads = 2 * Target::wave_size;
    using rows = reduced_distribution<Tile, 1>;
    constexpr index_t bytes = 2 * whole_tile_bytes<Target, float, Tile>    // the operands,
                              + 3 * whole_tile_bytes<Target, float, Tile>  // the tiles of f
                              + 2 * whole_tile_bytes<Target, float, rows>; // and its rows
    result_of<Target, float, Tile> by_one(threads), by_all(threads);
    const auto number = [](long flat) { return static_cast<float>(mixed(flat) % 64); };
    run_on<Target>(threads, bytes, {}, [&] {
        const auto x = tile_of<Target, Tile, float>(number);
        const region_context<Target> context{Target::shared_memory()};
        by_one.keep(serially(context, in(x), out<Tile>(), written_once));
        by_all.keep(distributed(context, in(x), out<Tile>(), written_once));
    });
    const auto x = host_of<Tile, float>(number);
    host_tile<float> expected = x;
    for_each_row(x, 1, [&](const std::vector<float>& row, const std::vector<std::size_t>& places) {
        const float highest = *std::max_element(row.begin(), row.end());
        float sum = 0;
        for (float e : row)
            sum += e - highest;
        for (std::size_t j = 0; j < row.size(); ++j)
            expected.values[places[j]] = (row[j] - highest) * sum - row[j];
    });
    CHECK(by_one.wrong(expected) == 0);
    CHECK(by_all.wrong(expected) == 0);
}

} // namespace

TEMPLATE_TEST_CASE("a function of tiles runs on one lane and on all", "[tensor]", TEGULA_TENSOR_TARGETS)
{
    check_written_once<TestType, rows_between_waves<TestType::wave_size>>();
}
