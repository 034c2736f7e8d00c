#pragma once

#include <tegula/reduction.hpp>

#include "test/kernel/shapes.hpp"

#include <algorithm>
#include <cmath>

namespace tegula::test {

struct weighted_sum
{
    TEGULA_HOST_DEVICE tuple<float, float> operator()(float x, float y) const { return {{{2 * x + y}, {x - y}}}; }
};

/// Element x of a tensor that is broadcast to more dimensions.
template <class T>
double broadcast_value(const shaped<T>& t, const shape_index& x)
{
    shape_index at;
    const std::size_t missing = x.size() - static_cast<std::size_t>(t.tensor.rank);
    for (int d = 0; d < t.tensor.rank; ++d)
        at.push_back(t.tensor.lengths[d] == 1 ? 0 : x[missing + static_cast<std::size_t>(d)]);
    return t.value(at);
}

template <class Target, class T>
void check_elementwise(const shaped<T>& a, const shaped<T>& b, const shape_index& lengths, long_index_t skip = 0)
{
    shaped<T> sum(lengths, {}, skip);
    shaped<float> difference(lengths, {}, skip);
    device_of<Target> device;
    elementwise_arguments<weighted_sum, tuple<T, float>, tuple<T, T>> args{
        {}, make_tuple(sum.tensor, difference.tensor), make_tuple(a.input(), b.input())};
    require_run(device, launch(device, elementwise_kernels<Target>{}, args));
    for_each_index(lengths, [&](const shape_index& x) {
        const double u = broadcast_value(a, x), v = broadcast_value(b, x);
        if (sum.value(x) != 2 * u + v || static_cast<double>(difference[x]) != u - v)
            REQUIRE(sum.value(x) == 2 * u + v);
    });
}

template <class Target, class T>
void check_elementwise_shapes()
{
    const auto check = [](const shape_index& a_lengths, const shape_index& a_strides, const shape_index& b_lengths,
                          const shape_index& lengths, long_index_t skip) {
        shaped<T> a(a_lengths, a_strides, skip), b(b_lengths);
        fill_whole(a, 3), fill_whole(b, 4);
        check_elementwise<Target>(a, b, lengths, skip);
    };
    check({5, 64, 96}, {}, {96}, {5, 64, 96}, 0);
    check({7, 96}, {}, {7, 1}, {7, 96}, 0);
    check({5, 3, 17}, {}, {3, 1}, {5, 3, 17}, 1);
    check({6, 40}, {-80, -2}, {1}, {6, 40}, 0);
    check({1, 8}, {}, {9, 1}, {9, 8}, 0);
    check({0, 8}, {}, {8}, {0, 8}, 0);
    check({}, {}, {}, {}, 0);
    check({2, 1, 3, 2, 1, 2, 1, 2}, {}, {3, 1, 1, 1, 3, 1}, {2, 1, 3, 2, 1, 2, 3, 2}, 0);

    shaped<T> x({64, 64}), y({64, 64});
    fill_whole(x), fill_whole(y);
    const shaped<T> before({64, 64});
    std::copy(x.tensor.data, x.tensor.data + 4096, before.tensor.data);
    device_of<Target> device;
    const auto add = [](float a, float b) { return a + b; };
    auto in_place = make_elementwise_arguments(add, x.tensor, x.input(), y.input());
    require_run(device, launch(device, elementwise_kernels<Target>{}, in_place));
    if constexpr (counts_sectors<Target>) {
        CHECK(device.result.counters.global_load_sectors == 2 * sectors<T>(4096));
        CHECK(device.result.counters.global_store_sectors == sectors<T>(4096));
    }
    for_each_index({64, 64}, [&](const shape_index& at) {
        if (x.value(at) != before.value(at) + y.value(at))
            REQUIRE(x.value(at) == before.value(at) + y.value(at));
    });
}

template <class Target, class T>
void check_permute(const shape_index& lengths, const shape_index& strides, const std::vector<int>& order,
                   bool whole_sectors, long_index_t skip = 0)
{
    shaped<T> x(lengths, strides, skip);
    fill_whole(x);
    shape_index turned;
    for (const int d : order)
        turned.push_back(lengths[static_cast<std::size_t>(d)]);
    shaped<T> y(turned, {}, skip);
    permute_arguments<T> args{x.input(), y.tensor};
    for (std::size_t i = 0; i < order.size(); ++i)
        args.order[i] = order[i];
    device_of<Target> device;
    require_run(device, launch(device, permute_kernels<Target>{}, args));
    if constexpr (counts_sectors<Target>)
        if (whole_sectors) {
            CHECK(device.result.counters.global_load_sectors == sectors<T>(x.tensor.size()));
            CHECK(device.result.counters.global_store_sectors == sectors<T>(x.tensor.size()));
        }
    for_each_index(turned, [&](const shape_index& at) {
        shape_index from(at.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            from[static_cast<std::size_t>(order[i])] = at[i];
        if (!(y[at] == x[from]))
            REQUIRE(y.value(at) == x.value(from));
    });
}

template <class Target, class T>
void check_permutes()
{
    check_permute<Target, T>({128, 192}, {}, {1, 0}, true);
    check_permute<Target, T>({3, 64, 2, 64}, {}, {0, 3, 2, 1}, true);
    check_permute<Target, T>({2, 5, 3, 64}, {}, {0, 2, 1, 3}, true);
    check_permute<Target, T>({70, 33}, {}, {1, 0}, false, 1);
    check_permute<Target, T>({3, 70, 5, 9}, {}, {3, 1, 0, 2}, false);
    check_permute<Target, T>({7, 9, 11}, {}, {2, 0, 1}, false);
    check_permute<Target, T>({6, 40}, {-160, -3}, {1, 0}, false);
    check_permute<Target, T>({8, 8}, {0, 1}, {1, 0}, false);
    check_permute<Target, T>({5, 0, 3}, {}, {2, 1, 0}, false);
    check_permute<Target, T>({}, {}, {}, false);
}

template <class Target, class T>
void check_gather(const shape_index& row, const shape_index& strides, const shape_index& of, bool whole_sectors,
                  long_index_t skip = 0)
{
    shape_index table_lengths = row, lengths = of;
    table_lengths.insert(table_lengths.begin(), 50);
    lengths.insert(lengths.end(), row.begin(), row.end());
    shaped<T> table(table_lengths, strides, skip), y(lengths, {}, skip);
    shaped<std::int64_t> indices(of);
    fill_whole(table), fill_whole(y, 5);
    std::int64_t next = -1;
    int wrong = 0, found = 3;
    for_each_index(of, [&](const shape_index& at) {
        next = (next + 59) % 104;
        indices[at] = next - 52; // two too small, 50 from the end, 50 from the start, two too large
        wrong += next < 2 || next >= 102 ? 1 : 0;
    });
    device_of<Target> device;
    require_run(device, launch(device, gather_kernels<Target>{},
                               gather_arguments<T, std::int64_t>{table.input(), indices.input(), y.tensor, &found}));
    CHECK(found == 3 + (y.tensor.size() > 0 ? wrong : 0));
    if constexpr (counts_sectors<Target>)
        if (whole_sectors) {
            // Rows that are there, and the indices: those of a wave lie side by side, or it has one.
            const long_index_t count = indices.tensor.size(), elements = table.tensor.size() / 50;
            const bool by_waves = elements * static_cast<long_index_t>(sizeof(T)) > 16 * 16;
            const long_index_t rows_of_wave = by_waves ? 1 : Target::wave_size / 8;
            long_index_t read = (count - wrong) * sectors<T>(elements);
            for (long_index_t first = 0; first < count; first += rows_of_wave)
                read += sectors<std::int64_t>(std::min(rows_of_wave, count - first));
            CHECK(device.result.counters.global_load_sectors == read);
            CHECK(device.result.counters.global_store_sectors == sectors<T>(y.tensor.size()));
        }
    for_each_index(lengths, [&](const shape_index& at) {
        const shape_index place(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(of.size()));
        shape_index from(at.begin() + static_cast<std::ptrdiff_t>(of.size()), at.end());
        const std::int64_t index = indices[place] + (indices[place] < 0 ? 50 : 0);
        from.insert(from.begin(), index);
        const double expected = index < 0 || index >= 50 ? 0 : table.value(from);
        if (y.value(at) != expected)
            REQUIRE(y.value(at) == expected);
    });
}

template <class Target, class T>
void check_gathers()
{
    check_gather<Target, T>({48}, {}, {37}, true);
    check_gather<Target, T>({4, 520}, {}, {3, 5}, true);
    check_gather<Target, T>({33}, {}, {11}, false, 1);
    check_gather<Target, T>({3, 7}, {64, 2, 6}, {4, 2}, false);
    check_gather<Target, T>({}, {}, {70}, false);
    check_gather<Target, T>({0}, {}, {7}, false);
    check_gather<Target, T>({300}, {}, {0}, false);
}

/// Against angles in long double; positions are far and negative ones too.
template <class Target, class T>
void check_rotary(const shape_index& lengths, const shape_index& position_lengths, bool in_place)
{
    shaped<T> x(lengths), y(lengths), before(lengths);
    shaped<long_index_t> positions(position_lengths);
    fill_whole(x), fill_whole(before);
    long_index_t next = -3;
    for_each_index(position_lengths, [&](const shape_index& at) { positions[at] = next = next * -7 + 1; });
    const long_index_t d = lengths.back();
    shaped<std::uint64_t> turns({d / 2});
    make_rotary_turns(turns.tensor.data, d, 10000);
    device_of<Target> device;
    const shaped<T>& to = in_place ? x : y;
    require_run(device, launch(device, rotary_kernels<Target>{},
                               rotary_arguments<T>{x.input(), to.tensor, positions.input(), turns.tensor.data}));
    constexpr double rounding = sizeof(T) == 4 ? 0x1p-22 : sizeof(T) == 2 && std::is_same_v<T, half> ? 0x1p-10 : 0x1p-7;
    for_each_index(lengths, [&](const shape_index& at) {
        const long_index_t i = at.back() % (d / 2);
        shape_index place(at.begin(), at.end() - 1), low = at, high = at;
        place.erase(place.begin(), place.end() - static_cast<std::ptrdiff_t>(position_lengths.size()));
        for (std::size_t k = 0; k < place.size(); ++k)
            place[k] = position_lengths[k] == 1 ? 0 : place[k];
        low.back() = i, high.back() = i + d / 2;
        const long double angle = static_cast<long double>(positions[place]) *
                                  std::pow(10000.0L, -2.0L * static_cast<long double>(i) / static_cast<long double>(d));
        const long double c = std::cos(angle), s = std::sin(angle);
        const long double u = before.value(low), v = before.value(high);
        const auto expected = static_cast<double>(at.back() < d / 2 ? u * c - v * s : u * s + v * c);
        const double error = std::fabs(to.value(at) - expected);
        const double bound =
            rounding * std::fabs(expected) + 0x1p-20 * static_cast<double>(std::fabs(u) + std::fabs(v));
        if (!(error <= bound))
            REQUIRE(error <= bound);
    });
    if constexpr (counts_sectors<Target>)
        if (d % 32 == 0 && x.tensor.size() % 4096 == 0) { // every access is 16 bytes of every lane
            const auto bytes = x.tensor.size() * static_cast<long_index_t>(sizeof(T));
            // Each lane reads pieces of both halves of a row. A wave also reads 16 sectors of turns and one of
            // positions.
            CHECK(device.result.counters.global_load_sectors == bytes / 32 + bytes / 32 / Target::wave_size * 17);
            CHECK(device.result.counters.global_store_sectors == bytes / 32);
            CHECK(device.result.counters.global_stores == bytes / 16 / Target::wave_size);
        }
}

template <class Target, class T>
void check_rotaries()
{
    check_rotary<Target, T>({64, 64}, {1}, false);
    check_rotary<Target, T>({2, 3, 7, 64}, {7}, false);
    check_rotary<Target, T>({2, 5, 3, 32}, {5, 1}, true);
    check_rotary<Target, T>({9, 6}, {9}, false);
    check_rotary<Target, T>({0, 6}, {0}, false);
}

struct pooling_shape
{
    index_t window[2], stride[2], padding[2];
};

template <class Target, class T>
void check_pooling(pooling kind, const shape_index& lengths, const shape_index& strides, const pooling_shape& s,
                   bool count_padding = false)
{
    pooling_arguments<T> args{kind};
    shape_index pooled = lengths;
    for (std::size_t d = 0; d < 2; ++d) {
        args.window[d] = s.window[d], args.stride[d] = s.stride[d], args.padding[d] = s.padding[d];
        pooled[1 + d] = pooled_length(lengths[1 + d], s.window[d], s.stride[d], s.padding[d]);
    }
    shaped<T> x(lengths, strides), y(pooled);
    fill_whole(x);
    args.input = x.input(), args.output = y.tensor, args.count_padding = count_padding;
    device_of<Target> device;
    require_run(device, launch(device, pooling_kernels<Target>{}, args));
    const bool cut = s.window[0] == s.stride[0] && s.window[1] == s.stride[1] && s.padding[0] + s.padding[1] == 0;
    if constexpr (counts_sectors<Target>)
        if (cut && lengths[3] % 64 == 0) { // each element is of one window
            CHECK(device.result.counters.global_load_sectors == sectors<T>(x.tensor.size()));
            CHECK(device.result.counters.global_store_sectors == sectors<T>(y.tensor.size()));
        }
    for_each_index(pooled, [&](const shape_index& at) {
        double sum = 0, largest = -INFINITY;
        int elements = 0;
        for (long_index_t i = 0; i < s.window[0]; ++i)
            for (long_index_t j = 0; j < s.window[1]; ++j) {
                const shape_index from{at[0], at[1] * s.stride[0] - s.padding[0] + i,
                                       at[2] * s.stride[1] - s.padding[1] + j, at[3]};
                if (from[1] < 0 || from[1] >= lengths[1] || from[2] < 0 || from[2] >= lengths[2])
                    continue;
                sum += x.value(from);
                largest = std::fmax(largest, x.value(from));
                ++elements;
            }
        const auto mean = static_cast<float>(sum / (count_padding ? s.window[0] * s.window[1] : elements));
        const double expected = static_cast<double>(
            convert<float>(convert<T>(kind == pooling::maximum ? static_cast<float>(largest) : mean)));
        if (y.value(at) != expected)
            REQUIRE(y.value(at) == expected);
    });
}

template <class Target, class T>
void check_poolings()
{
    check_pooling<Target, T>(pooling::average, {2, 9, 7, 16}, {}, {{3, 2}, {2, 1}, {1, 1}});
    check_pooling<Target, T>(pooling::maximum, {1, 8, 8, 64}, {}, {{2, 2}, {2, 2}, {0, 0}});
    check_pooling<Target, T>(pooling::maximum, {2, 5, 6, 3}, {}, {{3, 3}, {1, 1}, {2, 2}});
    check_pooling<Target, T>(pooling::average, {2, 5, 6, 3}, {}, {{3, 3}, {3, 2}, {1, 0}}, true);
    check_pooling<Target, T>(pooling::average, {1, 4, 5, 6}, {120, 5, 1, 20}, {{2, 2}, {1, 1}, {0, 0}});
    check_pooling<Target, T>(pooling::maximum, {1, 2, 2, 8}, {}, {{3, 3}, {1, 1}, {0, 0}});
    check_pooling<Target, T>(pooling::maximum, {0, 4, 4, 8}, {}, {{2, 2}, {1, 1}, {0, 0}});
}

/// All of them.
template <class Target, class T>
void check_moves()
{
    check_elementwise_shapes<Target, T>();
    check_permutes<Target, T>();
    check_gathers<Target, T>();
    check_rotaries<Target, T>();
    check_poolings<Target, T>();
}

} // namespace tegula::test
