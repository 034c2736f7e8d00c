#pragma once

#include <tegula/reduction.hpp>

#include "test/kernel/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tegula::test {

struct reduction_case
{
    shape_index lengths, strides;
    std::vector<int> axes;
    long_index_t skip = 0;
};

/// Every layout by lanes, wave, block and across, in vectors and single elements; splits; gaps, reversals, repeats, no
/// elements.
inline const std::vector<reduction_case>& reduction_cases()
{
    static const std::vector<reduction_case> all = {
        {{37, 24}, {}, {1}},
        {{3, 11}, {}, {1}, 1},
        {{5, 1000}, {}, {1}},
        {{2, 9000}, {}, {1}},
        {{3, 777}, {}, {1}, 1},
        {{2, 20000}, {}, {1}},
        {{70, 40}, {}, {0}},
        {{33, 19}, {}, {0}, 1},
        {{4, 6, 5, 16}, {}, {0, 2}},
        {{3, 4, 5, 2}, {}, {1, 3}},
        {{7, 9}, {}, {0, 1}},
        {{6, 5}, {}, {}},
        {{}, {}, {}},
        {{4, 30}, {-64, -2}, {1}},
        {{5, 8}, {0, 1}, {0}},
        {{16384, 20}, {}, {0}},
        {{1, 1, 3}, {}, {0, 2}},
        {{0, 5}, {}, {1}},
        {{5, 0}, {}, {0}},
    };
    return all;
}

/// `of`(values in order) is the result of each set of values.
template <class Target, class O, class Reducer, class T>
void check_reduction(const Reducer& reducer, shaped<T>& x, const reduction_case& c,
                     const std::function<double(const std::vector<double>&)>& of, bool workspace = true)
{
    unsigned axes = 0;
    for (const int axis : c.axes)
        axes |= 1u << axis;
    shape_index kept, taken;
    for (std::size_t d = 0; d < c.lengths.size(); ++d)
        ((axes >> d & 1) != 0 ? taken : kept).push_back(c.lengths[d]);
    shaped<O> y(kept, {}, 1);
    reduction_arguments<Reducer, O> args{reducer, x.input(), y.tensor, axes};
    workspace_of parts(reduction_workspace_bytes(args));
    if (workspace)
        args.workspace = parts.data();
    device_of<Target> device;
    require_run(device, launch(device, reduction_kernels<Target>{}, args));

    for_each_index(kept, [&](const shape_index& at) {
        std::vector<double> values;
        for_each_index(taken, [&](const shape_index& among) {
            shape_index whole;
            for (std::size_t d = 0, k = 0, r = 0; d < c.lengths.size(); ++d)
                whole.push_back((axes >> d & 1) != 0 ? among[r++] : at[k++]);
            values.push_back(x.value(whole));
        });
        const double expected = of(values), found = static_cast<double>(y[at]);
        if (std::isnan(expected) ? !std::isnan(found) : found != expected) {
            INFO("expected " << expected << ", found " << found);
            REQUIRE(found == expected);
        }
    });
}

inline double best_number(const std::vector<double>& v, bool smallest)
{
    std::size_t best = 0;
    for (std::size_t i = 1; i < v.size(); ++i) {
        const double x = smallest ? -v[i] : v[i], y = smallest ? -v[best] : v[best];
        if (std::isnan(y) ? false : std::isnan(x) || x > y)
            best = i;
    }
    return static_cast<double>(best);
}

/// All cases with sums; each of the other operations with a few.
template <class Target, class T>
void check_reductions()
{
    using fold = fold_reducer<T, chosen_operation>;
    const auto sum = [](const std::vector<double>& v) {
        double all = 0;
        for (const double x : v)
            all += x;
        return all;
    };
    std::size_t number = 0;
    for (const reduction_case& c : reduction_cases()) {
        INFO("case " << number);
        shaped<T> x(c.lengths, c.strides, c.skip);
        fill_whole(x, static_cast<unsigned>(++number));
        check_reduction<Target, float>(fold{}, x, c, sum);
        bool empty = false;
        for (const long_index_t length : c.lengths)
            empty = empty || length == 0;
        if (empty)
            continue;
        if (number % 3 == 0) {
            const bool largest = number % 2 == 0;
            if (x.tensor.size() > 20)
                x.tensor.data[0] = convert<T>(std::nanf(""));
            check_reduction<Target, float>(fold{{largest ? reduce_operation::maximum : reduce_operation::minimum}}, x,
                                           c, [&](const std::vector<double>& v) {
                                               for (const double e : v)
                                                   if (std::isnan(e))
                                                       return e;
                                               return largest ? *std::max_element(v.begin(), v.end())
                                                              : *std::min_element(v.begin(), v.end());
                                           });
        }
        check_reduction<Target, long_index_t>(
            arg_reducer<T>{number % 2 == 0}, x, c,
            [&](const std::vector<double>& v) { return best_number(v, number % 2 == 0); }, number % 4 != 0);
        if (number % 5 == 0)
            check_reduction<Target, float>(fold{{reduce_operation::sum}, true}, x, c, [&](const auto& v) {
                return static_cast<double>(static_cast<float>(sum(v)) / static_cast<float>(v.size()));
            });
    }
    shaped<T> signs({3, 40});
    for (T& element : signs.memory)
        element = convert<T>(-1.0f);
    signs[{1, 3}] = convert<T>(6.0f);
    check_reduction<Target, float>(fold{{reduce_operation::product}}, signs, {{3, 40}, {}, {1}}, [](const auto& v) {
        double all = 1;
        for (const double e : v)
            all *= e;
        return all;
    });
}

/// Rows with a NaN, with one infinity, with both, of zeros of either sign, of one element: as plain loops have them.
template <class Target, class T>
void check_special_reductions()
{
    using fold = fold_reducer<T, chosen_operation>;
    const auto in_order = [](auto combine) {
        return [combine](const std::vector<double>& v) {
            double all = v[0];
            for (std::size_t i = 1; i < v.size(); ++i)
                all = std::isnan(all) || std::isnan(v[i]) ? std::nan("") : combine(all, v[i]);
            return all;
        };
    };
    for (const int axis : {0, 1}) {
        shaped<T> x({7, 70}), one({3, 1, 5});
        fill_special(x), fill_special(one);
        const reduction_case all{{7, 70}, {}, {axis}}, single{{3, 1, 5}, {}, {axis}};
        const auto check = [&](const auto& reducer, [[maybe_unused]] auto of_type, const auto& of) {
            using result = decltype(of_type);
            check_reduction<Target, result>(reducer, x, all, of);
            check_reduction<Target, result>(reducer, one, single, of);
        };
        using enum reduce_operation;
        check(fold{}, 0.0f, in_order([](double a, double b) { return a + b; }));
        check(fold{{minimum}}, 0.0f, in_order([](double a, double b) { return std::min(a, b); }));
        check(fold{{maximum}}, 0.0f, in_order([](double a, double b) { return std::max(a, b); }));
        for (const bool smallest : {false, true})
            check(arg_reducer<T>{smallest}, long_index_t{},
                  [&](const std::vector<double>& v) { return best_number(v, smallest); });
    }
}

/// An aligned tensor is read in whole sectors, each once.
template <class Target, class T>
void check_reduction_traffic()
{
    for (const int axis : {0, 1}) {
        shaped<T> x({64, 1024});
        shaped<float> y({axis == 0 ? 1024 : 64});
        device_of<Target> device;
        reduction_arguments<fold_reducer<T, chosen_operation>, float> args{{}, x.input(), y.tensor, 1u << axis};
        require_run(device, launch(device, reduction_kernels<Target>{}, args));
        CHECK(device.result.counters.global_load_sectors == sectors<T>(64 * 1024));
    }
}

template <class Target, class T>
void check_scan(const chosen_operation& op, const shape_index& lengths, const shape_index& strides, int axis,
                bool exclusive, long_index_t skip = 0, bool special = false)
{
    shaped<T> x(lengths, strides, skip);
    shaped<float> y(lengths, {}, skip);
    fill_whole(x, static_cast<unsigned>(lengths.size()));
    const bool sum = op.operation == reduce_operation::sum, product = op.operation == reduce_operation::product;
    if (product) // powers of two, of which no product of many rounds
        for (std::size_t i = 0; i < x.memory.size(); ++i)
            x.memory[i] = convert<T>(i % 5 == 0 ? -2.0f : i % 5 == 2 ? 0.5f : 1.0f);
    if (special)
        fill_special(x);
    scan_arguments<T, chosen_operation, float> args{op, x.input(), y.tensor, axis, exclusive};
    workspace_of parts(scan_workspace_bytes(args));
    args.workspace = parts.data();
    device_of<Target> device;
    require_run(device, launch(device, scan_kernels<Target>{}, args));
    if constexpr (counts_sectors<Target>) // rows of whole sectors
        if (strides.empty() && skip == 0 && !lengths.empty() && lengths.back() % 64 == 0) {
            CHECK(device.result.counters.global_load_sectors == sectors<T>(x.tensor.size()));
            CHECK(device.result.counters.global_store_sectors == sectors<float>(y.tensor.size()));
        }
    shape_index rows = lengths;
    const auto along = static_cast<std::size_t>(axis);
    rows[along] = lengths[along] > 0 ? 1 : 0;
    for_each_index(rows, [&](shape_index at) {
        double before = sum ? 0 : product ? 1 : -std::numeric_limits<double>::infinity();
        for (at[along] = 0; at[along] < lengths[along]; ++at[along]) {
            const double value = x.value(at), found = static_cast<double>(y[at]);
            const bool no_number = std::isnan(before) || std::isnan(value);
            const double after = no_number ? std::nan("")
                                 : sum     ? before + value
                                 : product ? before * value
                                           : std::fmax(before, value);
            const double expected = exclusive ? before : after;
            if (std::isnan(expected) ? !std::isnan(found) : found != expected)
                REQUIRE(found == expected);
            before = after;
        }
    });
}

/// Each layout, each operation, splits, gaps, no elements.
template <class Target, class T>
void check_scans()
{
    const chosen_operation sum{}, largest{reduce_operation::maximum}, product{reduce_operation::product};
    check_scan<Target, T>(product, {3, 333}, {}, 1, false, 1);
    check_scan<Target, T>(product, {2, 17000}, {}, 1, true);
    check_scan<Target, T>(product, {40, 128}, {}, 0, false);
    check_scan<Target, T>(sum, {5, 1000}, {}, 1, false);
    check_scan<Target, T>(sum, {5, 1024}, {}, 1, false);
    check_scan<Target, T>(sum, {40, 128}, {}, 0, false);
    check_scan<Target, T>(largest, {3, 333}, {}, 1, true, 1);
    check_scan<Target, T>(sum, {2, 9000}, {}, 1, true);
    check_scan<Target, T>(sum, {2, 20000}, {}, 1, false);
    check_scan<Target, T>(largest, {1, 17001}, {}, 1, false, 1);
    check_scan<Target, T>(sum, {70, 40}, {}, 0, true);
    check_scan<Target, T>(largest, {3, 19, 17}, {}, 1, false, 1);
    check_scan<Target, T>(sum, {20, 3}, {}, 0, false);
    check_scan<Target, T>(sum, {6, 30}, {-64, -2}, 1, false);
    check_scan<Target, T>(sum, {0, 5}, {}, 1, false);
    check_scan<Target, T>(sum, {5, 0}, {}, 1, true);
    check_scan<Target, T>(sum, {1}, {}, 0, true);
    for (const int axis : {0, 1})
        for (const chosen_operation& op : {sum, largest}) {
            check_scan<Target, T>(op, {7, 70}, {}, axis, false, 0, true);
            check_scan<Target, T>(op, {9, 1}, {}, axis, axis == 0, 0, true);
        }
}

template <class Target, class T>
void check_topk(const shape_index& lengths, const shape_index& strides, int axis, long_index_t k, bool nan)
{
    shaped<T> x(lengths, strides);
    fill_whole(x);
    const auto along = static_cast<std::size_t>(axis);
    if (nan)
        x[shape_index(lengths.size(), 1)] = convert<T>(std::nanf(""));
    shape_index kept = lengths;
    kept[along] = k;
    shaped<T> values(kept);
    shaped<long_index_t> indices(kept);
    device_of<Target> device;
    require_run(device, launch(device, topk_kernels<Target>{},
                               topk_arguments<T>{x.input(), values.tensor, indices.tensor, axis}));
    if constexpr (counts_sectors<Target>)
        if (strides.empty() && lengths.back() % 64 == 0)
            CHECK(device.result.counters.global_load_sectors == sectors<T>(x.tensor.size()));
    shape_index rows = lengths;
    rows[along] = 1;
    for_each_index(rows, [&](shape_index at) {
        std::vector<double> row;
        for (at[along] = 0; at[along] < lengths[along]; ++at[along])
            row.push_back(x.value(at));
        for (long_index_t i = 0; i < k; ++i) {
            const double expected = best_number(row, false);
            at[along] = i;
            if (static_cast<double>(indices[at]) != expected)
                REQUIRE(static_cast<double>(indices[at]) == expected);
            const double value = row[static_cast<std::size_t>(expected)];
            CHECK((std::isnan(value) ? std::isnan(values.value(at)) : values.value(at) == value));
            row[static_cast<std::size_t>(expected)] = -std::numeric_limits<double>::infinity();
        }
    });
}

template <class Target, class T>
void check_topks()
{
    check_topk<Target, T>({3, 7}, {}, 1, 7, false);
    check_topk<Target, T>({2, 3000}, {}, 1, 40, true);
    check_topk<Target, T>({3, 2112}, {}, 1, 9, false);
    check_topk<Target, T>({2, 4128}, {}, 1, 512, true);
    check_topk<Target, T>({700, 3}, {}, 0, 5, true);
    check_topk<Target, T>({2, 1100}, {-2200, -2}, 1, 512, false);
    check_topk<Target, T>({4, 9}, {}, 1, 0, false);
    check_topk<Target, T>({1290, 2}, {}, 0, 1290, true); // three launches, to the last element
}

/// All of them.
template <class Target, class T>
void check_reductions_and_scans()
{
    check_reductions<Target, T>();
    check_special_reductions<Target, T>();
    check_reduction_traffic<Target, T>();
    check_scans<Target, T>();
    check_topks<Target, T>();
}

} // namespace tegula::test
