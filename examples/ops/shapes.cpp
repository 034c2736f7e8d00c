// Operations on arrays of any shape: reductions, scans, top-k, permutations, gathers, rotary embeddings.

#include "operands.hpp"
#include "operations.hpp"
#include "results.hpp"
#include "selection.hpp"
#include "shapes_problem.hpp"

#include "examples/common/arrays.hpp"
#include "examples/common/lists.hpp"
#include "examples/common/named_files.hpp"

#include <tegula/kernel/elementwise/rotary.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ops_example {

using namespace examples;
using shape = std::vector<long_index_t>;

namespace {

struct shape_task
{
    selection<shape_problem> kernel;
    operand x;
    shape_problem p;

    template <class F>
    auto typed(const F& f) const
    {
        return with_type(p.type, f);
    }

    shape_task(const options& o, shape_operation operation)
        : kernel(select_kernel<shape_problem>(o)), x(read_operand("--in", o.in, kernel.rounding))
    {
        if (x.shape.size() > static_cast<std::size_t>(tegula::max_tensor_rank))
            throw bad_input(x.text() + "; an array has at most " + std::to_string(tegula::max_tensor_rank) +
                            " dimensions");
        p.operation = operation;
        p.type = kernel.kernel->element;
        p.in_lengths = x.shape;
        p.in = typed([&](auto tag) { return p.add_input<typename decltype(tag)::type>(x.values); });
    }

    /// An output of the inputs' type.
    int add_typed_output(const shape& lengths)
    {
        return typed([&](auto tag) { return p.add_output<typename decltype(tag)::type>(count(lengths)); });
    }
    std::vector<float> typed_values(int number) const
    {
        return typed([&](auto tag) {
            std::vector<float> all;
            for (const auto v : p.values<typename decltype(tag)::type>(number))
                all.push_back(tegula::convert<float>(v));
            return all;
        });
    }
    outcome run()
    {
        outcome result;
        result.shape = x.shape;
        const bool shares = p.operation == shape_operation::reduce || p.operation == shape_operation::arg_reduce ||
                            p.operation == shape_operation::scan;
        constexpr std::size_t shared = 16384; // elements of a result; fewer are one block's
        if (shares && x.values.size() >= shared)
            p.workspace = p.add_output<double>(p.workspace_bytes / 8);
        compute(kernel, p, result);
        return result;
    }
    /// f(place, rank, step) for every row along `axis`: its first element and the distance of neighbours.
    template <class F>
    void for_each_row(int axis, const F& f) const
    {
        const auto along = static_cast<std::size_t>(axis);
        const long_index_t inner = count(x.shape, along + 1, x.shape.size());
        for (long_index_t a = 0; a < count(x.shape, 0, along); ++a)
            for (long_index_t b = 0; b < inner; ++b)
                f(a, b, inner);
    }
    /// The values of row (a, b) along `axis`.
    std::vector<double> row(int axis, long_index_t a, long_index_t b) const
    {
        const auto along = static_cast<std::size_t>(axis);
        const long_index_t inner = count(x.shape, along + 1, x.shape.size()), length = x.shape[along];
        std::vector<double> values;
        for (long_index_t i = 0; i < length; ++i)
            values.push_back(x.values[static_cast<std::size_t>((a * length + i) * inner + b)]);
        return values;
    }
};

output make_output(const char* option, const std::string& path, const shape& lengths, const std::vector<float>& values)
{
    return {option, path, tegula::make_npy_array<float>(lengths, values), {}};
}
output make_output(const char* option, const std::string& path, const shape& lengths,
                   const std::vector<long_index_t>& values)
{
    return {option, path, tegula::make_npy_array<long_index_t>(lengths, values), {}};
}

/// Everything below is exact.
double exactly(std::size_t) { return 0; }

/// NaN before all numbers, of equals the lower place.
bool precedes(const std::vector<double>& v, std::size_t a, std::size_t b, bool smallest)
{
    const double x = smallest ? -v[a] : v[a], y = smallest ? -v[b] : v[b];
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) && (!std::isnan(y) || a < b);
    return x > y || (x == y && a < b);
}

double combine(tegula::reduce_operation op, double a, double b)
{
    using enum tegula::reduce_operation;
    if (op == sum)
        return a + b;
    if (op == product)
        return a * b;
    if (std::isnan(a) || std::isnan(b))
        return a + b;
    return op == minimum ? std::min(a, b) : std::max(a, b);
}
double identity(tegula::reduce_operation op)
{
    using enum tegula::reduce_operation;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return op == sum ? 0 : op == product ? 1 : op == minimum ? infinity : -infinity;
}

/// The partial results of a sum or product of many numbers, in any order.
class partial_results
{
public:
    explicit partial_results(tegula::reduce_operation op) : op_(op) {}

    void add(double x)
    {
        ++count_;
        if (!std::isfinite(x) || x == 0)
            return;
        sizes_ += std::fabs(x);
        (std::fabs(x) > 1 ? powers_up_ : powers_down_) += std::log2(std::fabs(x));
    }
    /// The largest magnitude that a partial result of finite numbers can have.
    double largest() const
    {
        using enum tegula::reduce_operation;
        return op_ == sum ? sizes_ : op_ == product ? std::exp2(powers_up_) : 0;
    }
    /// The bound of the result's error: a rounding each time, and values that became 0 on the way, times the factors above 1.
    double bound(double exact) const
    {
        using enum tegula::reduce_operation;
        const double roundings = (static_cast<double>(count_) + 2) * 0x1p-24;
        if (op_ == sum)
            return sizes_ * roundings + 0x1p-149;
        if (op_ != product)
            return 0;
        return std::fabs(exact) * 2 * roundings + (powers_down_ < -126 ? std::exp2(powers_up_ - 125) : 0x1p-126);
    }

private:
    tegula::reduce_operation op_;
    long_index_t count_ = 0;
    double sizes_ = 0, powers_up_ = 0, powers_down_ = 0;
};

tegula::reduce_operation find_operation(const std::string& name,
                                        std::initializer_list<std::pair<const char*, tegula::reduce_operation>> all)
{
    std::string names;
    for (const auto& [known, operation] : all) {
        if (name == known)
            return operation;
        append_item(names, known);
    }
    throw bad_input("--op is \"" + name + "\"; it can be " + names);
}

/// The set of --axes, all dimensions where none is given, and the shape that is left.
unsigned find_axes(const options& o, const operand& x, shape& left, shape& kept)
{
    unsigned axes = o.axes.empty() ? (1u << x.shape.size()) - 1 : 0;
    for (const long_index_t axis : o.axes) {
        const unsigned bit = 1u << find_axis("--axes", axis, x);
        if ((axes & bit) != 0)
            throw bad_input("--axes names dimension " + std::to_string(axis) + " twice; name each once");
        axes |= bit;
    }
    for (std::size_t d = 0; d < x.shape.size(); ++d) {
        const bool reduced = (axes >> d & 1) != 0;
        if (!reduced)
            kept.push_back(x.shape[d]);
        if (!reduced || o.keepdims)
            left.push_back(reduced ? 1 : x.shape[d]);
    }
    return axes;
}

outcome run_reduce(const options& o)
{
    using enum tegula::reduce_operation;
    shape_task t(o, shape_operation::reduce);
    t.p.op = find_operation(o.op, {{"sum", sum}, {"mean", sum}, {"prod", product}, {"min", minimum}, {"max", maximum}});
    t.p.mean = o.op == "mean";
    shape left;
    t.p.axes = find_axes(o, t.x, left, t.p.out_lengths);
    t.p.out = t.p.add_output<float>(count(left));
    outcome result = t.run();
    if (!result.run.status)
        return result;
    const std::vector<float> y = t.p.values<float>(t.p.out);
    result.outputs.push_back(make_output("--out", o.out, left, y));
    if (o.verify) {
        std::vector<double> exact(y.size(), identity(t.p.op));
        std::vector<partial_results> parts(y.size(), partial_results(t.p.op));
        const double n = y.empty() ? 0 : static_cast<double>(t.x.values.size()) / static_cast<double>(y.size());
        for (std::size_t i = 0; i < t.x.values.size(); ++i) {
            long_index_t rest = static_cast<long_index_t>(i), at = 0, stride = 1;
            for (std::size_t d = t.x.shape.size(); d-- > 0; rest /= t.x.shape[d])
                if ((t.p.axes >> d & 1) == 0) {
                    at += rest % t.x.shape[d] * stride;
                    stride *= t.x.shape[d];
                }
            const double v = t.x.values[i];
            exact[static_cast<std::size_t>(at)] = combine(t.p.op, exact[static_cast<std::size_t>(at)], v);
            parts[static_cast<std::size_t>(at)].add(v);
        }
        const double divisor = t.p.mean ? n : 1;
        for (double& sum_or_mean : exact)
            sum_or_mean /= divisor;
        result.outputs[0].errors = compare(
            y, exact, [&](std::size_t i) { return parts[i].bound(exact[i]) / divisor + (t.p.mean ? 0x1p-149 : 0); },
            [&](std::size_t i) { return parts[i].largest(); });
    }
    return result;
}

outcome run_arg_reduce(const options& o, bool smallest)
{
    shape_task t(o, shape_operation::arg_reduce);
    t.p.smallest = smallest;
    const int axis = find_axis("--axis", o.axis, t.x);
    t.p.axes = 1u << axis;
    t.p.out_lengths = t.x.shape;
    t.p.out_lengths.erase(t.p.out_lengths.begin() + axis);
    t.p.out = t.p.add_output<long_index_t>(count(t.p.out_lengths));
    outcome result = t.run();
    if (!result.run.status)
        return result;
    const std::vector<long_index_t> y = t.p.values<long_index_t>(t.p.out);
    result.outputs.push_back(make_output("--out", o.out, t.p.out_lengths, y));
    if (o.verify) {
        std::vector<double> exact;
        t.for_each_row(axis, [&](long_index_t a, long_index_t b, long_index_t) {
            const std::vector<double> row = t.row(axis, a, b);
            std::size_t best = 0;
            for (std::size_t i = 1; i < row.size(); ++i)
                best = precedes(row, i, best, smallest) ? i : best;
            exact.push_back(static_cast<double>(best));
        });
        result.outputs[0].errors = compare({y.begin(), y.end()}, exact, exactly);
    }
    return result;
}

outcome run_scan(const options& o)
{
    using enum tegula::reduce_operation;
    shape_task t(o, shape_operation::scan);
    t.p.op = find_operation(o.op, {{"sum", sum}, {"prod", product}, {"max", maximum}});
    t.p.exclusive = o.exclusive;
    t.p.axis = find_axis("--axis", o.axis, t.x);
    t.p.out_lengths = t.x.shape;
    t.p.out = t.p.add_output<float>(count(t.x.shape));
    outcome result = t.run();
    if (!result.run.status)
        return result;
    const std::vector<float> y = t.p.values<float>(t.p.out);
    result.outputs.push_back(make_output("--out", o.out, t.x.shape, y));
    if (o.verify) {
        std::vector<double> exact(y.size()), bounds(y.size()), largest(y.size());
        t.for_each_row(t.p.axis, [&](long_index_t a, long_index_t b, long_index_t inner) {
            const std::vector<double> row = t.row(t.p.axis, a, b);
            double all = identity(t.p.op);
            partial_results parts(t.p.op);
            for (std::size_t i = 0; i < row.size(); ++i) {
                const auto at = static_cast<std::size_t>(
                    (a * static_cast<long_index_t>(row.size()) + static_cast<long_index_t>(i)) * inner + b);
                const double before = all;
                all = combine(t.p.op, all, row[i]);
                parts.add(row[i]);
                exact[at] = o.exclusive ? before : all;
                bounds[at] = parts.bound(exact[at]);
                largest[at] = parts.largest();
            }
        });
        result.outputs[0].errors =
            compare(y, exact, [&](std::size_t i) { return bounds[i]; }, [&](std::size_t i) { return largest[i]; });
    }
    return result;
}

outcome run_permute(const options& o)
{
    shape_task t(o, shape_operation::permute);
    unsigned seen = 0;
    for (const long_index_t axis : o.axes) {
        const int d = find_axis("--axes", axis, t.x);
        seen |= 1u << d;
        t.p.order.push_back(d);
        t.p.out_lengths.push_back(t.x.shape[static_cast<std::size_t>(d)]);
    }
    if (t.p.order.size() != t.x.shape.size() || seen + 1 != 1u << t.x.shape.size())
        throw bad_input("--axes does not name every dimension once, and " + t.x.text() + "; name each of its " +
                        std::to_string(t.x.shape.size()) + " dimensions, as in --axes 2,0,1");
    t.p.out = t.add_typed_output(t.p.out_lengths);
    outcome result = t.run();
    if (!result.run.status)
        return result;
    const std::vector<float> y = t.typed_values(t.p.out);
    result.outputs.push_back(make_output("--out", o.out, t.p.out_lengths, y));
    if (o.verify) {
        const shape strides = strides_of(t.x.shape);
        std::vector<double> exact;
        for (std::size_t i = 0; i < y.size(); ++i) {
            long_index_t rest = static_cast<long_index_t>(i), at = 0;
            for (std::size_t d = t.p.order.size(); d-- > 0; rest /= t.p.out_lengths[d])
                at += rest % t.p.out_lengths[d] * strides[static_cast<std::size_t>(t.p.order[d])];
            exact.push_back(t.x.values[static_cast<std::size_t>(at)]);
        }
        result.outputs[0].errors = compare(y, exact, exactly);
    }
    return result;
}

outcome run_topk(const options& o)
{
    check_output("--indices", o.indices);
    check_named_files({{"--indices", o.indices}}, {{"--in", o.in}});
    shape_task t(o, shape_operation::topk);
    t.p.axis = find_axis("--axis", o.axis, t.x);
    const auto along = static_cast<std::size_t>(t.p.axis);
    if (o.k < 1 || o.k > t.x.shape[along])
        throw bad_input("--k is " + std::to_string(o.k) + "; it must be from 1 to " + std::to_string(t.x.shape[along]) +
                        ", the length of --axis");
    t.p.out_lengths = t.x.shape;
    t.p.out_lengths[along] = o.k;
    t.p.out = t.add_typed_output(t.p.out_lengths);
    t.p.indices = t.p.add_output<long_index_t>(count(t.p.out_lengths));
    outcome result = t.run();
    if (!result.run.status)
        return result;
    const std::vector<float> y = t.typed_values(t.p.out);
    const std::vector<long_index_t> places = t.p.values<long_index_t>(t.p.indices);
    result.outputs.push_back(make_output("--out", o.out, t.p.out_lengths, y));
    result.outputs.push_back(make_output("--indices", o.indices, t.p.out_lengths, places));
    if (o.verify) {
        std::vector<double> values(y.size()), numbers(y.size());
        t.for_each_row(t.p.axis, [&](long_index_t a, long_index_t b, long_index_t inner) {
            const std::vector<double> row = t.row(t.p.axis, a, b);
            std::vector<std::size_t> order(row.size());
            for (std::size_t i = 0; i < order.size(); ++i)
                order[i] = i;
            std::sort(order.begin(), order.end(),
                      [&](std::size_t i, std::size_t j) { return precedes(row, i, j, false); });
            for (long_index_t i = 0; i < o.k; ++i) {
                const auto at = static_cast<std::size_t>((a * o.k + i) * inner + b);
                numbers[at] = static_cast<double>(order[static_cast<std::size_t>(i)]);
                values[at] = row[order[static_cast<std::size_t>(i)]];
            }
        });
        result.outputs[0].errors = compare(y, values, exactly);
        result.outputs[1].errors = compare({places.begin(), places.end()}, numbers, exactly);
    }
    return result;
}

outcome run_gather(const options& o)
{
    shape_task t(o, shape_operation::gather);
    const integers indices = read_integers("--indices", o.indices);
    if (t.x.shape.empty())
        throw bad_input(t.x.text() + "; rows of its first dimension are gathered, so that it has one");
    for (const std::int64_t index : indices.values)
        if (index < -t.x.shape[0] || index >= t.x.shape[0])
            throw bad_input("--indices has " + std::to_string(index) + ", and --in has " +
                            std::to_string(t.x.shape[0]) + " rows; indices are from 0 to one less, or from -1, the " +
                            "last row, down to -" + std::to_string(t.x.shape[0]));
    t.p.other_lengths = indices.shape;
    t.p.out_lengths = indices.shape;
    t.p.out_lengths.insert(t.p.out_lengths.end(), t.x.shape.begin() + 1, t.x.shape.end());
    t.p.indices = t.p.add_input<long_index_t>(indices.values);
    t.p.out = t.add_typed_output(t.p.out_lengths);
    outcome result = t.run();
    if (!result.run.status)
        return result;
    const std::vector<float> y = t.typed_values(t.p.out);
    result.outputs.push_back(make_output("--out", o.out, t.p.out_lengths, y));
    if (o.verify) {
        const long_index_t length = count(t.x.shape, 1, t.x.shape.size());
        std::vector<double> exact;
        for (const std::int64_t index : indices.values)
            for (long_index_t i = 0; i < length; ++i)
                exact.push_back(
                    t.x.values[static_cast<std::size_t>((index < 0 ? index + t.x.shape[0] : index) * length + i)]);
        result.outputs[0].errors = compare(y, exact, exactly);
    }
    return result;
}

outcome run_rope(const options& o)
{
    shape_task t(o, shape_operation::rope);
    const integers positions = read_integers("--positions", o.positions);
    const long_index_t d = t.x.shape.empty() ? 0 : t.x.shape.back();
    t.p.other_lengths = positions.shape;
    t.p.out_lengths = t.x.shape;
    t.p.indices = t.p.add_input<long_index_t>(positions.values);
    std::vector<std::uint64_t> turns(static_cast<std::size_t>(d / 2));
    tegula::make_rotary_turns(turns.data(), d, static_cast<double>(o.base));
    t.p.turns = t.p.add_input<std::uint64_t>(turns);
    t.p.out = t.add_typed_output(t.x.shape);
    outcome result = t.run();
    if (!result.run.status)
        return result;
    const std::vector<float> y = t.typed_values(t.p.out);
    result.outputs.push_back(make_output("--out", o.out, t.x.shape, y));
    if (o.verify) {
        // Half a unit of the type's last place, and the sines' errors.
        const double unit = t.p.type == element::f32 ? 0x1p-24 : t.p.type == element::f16 ? 0x1p-11 : 0x1p-8;
        const double least = t.p.type == element::f16 ? 0x1p-25 : 0x1p-149;
        std::vector<double> exact, bounds;
        const long double base = o.base;
        for (std::size_t i = 0; i < y.size(); ++i) {
            long_index_t rest = static_cast<long_index_t>(i) / d, at = 0, stride = 1;
            const std::size_t missing = t.x.shape.size() - 1 - positions.shape.size();
            for (std::size_t k = t.x.shape.size() - 1; k-- > 0; rest /= t.x.shape[k])
                if (k >= missing) {
                    const long_index_t length = positions.shape[k - missing];
                    at += (length == 1 ? 0 : rest % t.x.shape[k]) * stride;
                    stride *= length;
                }
            const long_index_t place = static_cast<long_index_t>(i) % d, pair = place % (d / 2);
            const long double angle =
                static_cast<long double>(positions.values[static_cast<std::size_t>(at)]) *
                std::pow(base, -2.0L * static_cast<long double>(pair) / static_cast<long double>(d));
            const std::size_t low = i - static_cast<std::size_t>(place - pair);
            const long double u = t.x.values[low], v = t.x.values[low + static_cast<std::size_t>(d / 2)];
            exact.push_back(static_cast<double>(place < d / 2 ? u * std::cos(angle) - v * std::sin(angle)
                                                              : u * std::sin(angle) + v * std::cos(angle)));
            bounds.push_back(unit * std::fabs(exact.back()) + least +
                             static_cast<double>(std::fabs(u) + std::fabs(v)) * 0x1p-21);
        }
        result.outputs[0].errors = compare(y, exact, [&](std::size_t i) { return bounds[i]; }, {}, t.p.type);
    }
    return result;
}

const bool added = add_operations({
    {"reduce",
     "The sum, prod, min, max or mean (--op) over --axes, or over all dimensions",
     {},
     {"--op", "--axes", "--keepdims"},
     &run_reduce},
    {"argmin",
     "The index of the smallest element along --axis",
     {},
     {"--axis"},
     [](const options& o) { return run_arg_reduce(o, true); }},
    {"argmax",
     "The index of the largest element along --axis",
     {},
     {"--axis"},
     [](const options& o) { return run_arg_reduce(o, false); }},
    {"scan", "Running sum, prod or max (--op) along --axis", {}, {"--op", "--axis", "--exclusive"}, &run_scan},
    {"permute", "Dimensions in the order of --axes", {"--axes"}, {}, &run_permute},
    {"topk", "The k largest elements along --axis and their indices", {"--k"}, {"--axis", "--indices"}, &run_topk},
    {"gather",
     "Rows of the first dimension by index; a negative one counts from the end",
     {"--indices"},
     {},
     &run_gather},
    {"rope", "Pairs (i, i + d/2) of the last dimension rotated by position", {"--positions"}, {"--base"}, &run_rope},
});

} // namespace
} // namespace ops_example
