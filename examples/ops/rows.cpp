// Operations on the rows of an array: softmax, norms, cross-entropy, top-k with softmax.

#include "operands.hpp"
#include "operations.hpp"
#include "results.hpp"
#include "rows_problem.hpp"
#include "selection.hpp"
#include "shapes_problem.hpp"

#include "examples/common/arrays.hpp"
#include "examples/common/named_files.hpp"

#include <tegula/kernel/normalization/topk_softmax.hpp>
#include <tegula/reference/rows.hpp>

#include <cmath>

namespace ops_example {

using namespace examples;

namespace {

/// Input of all these operations: the kernel, the operand as read, and the problem with the operand as an array.
struct row_task
{
    selection<row_problem> kernel;
    operand x;
    row_problem p;

    row_task(const options& o, row_operation operation, long_index_t axis)
        : kernel(select_kernel<row_problem>(o)), x(read_operand("--in", o.in, kernel.rounding))
    {
        p.operation = operation;
        p.type = kernel.kernel->element;
        p.axis = find_axis("--axis", axis, x);
        p.lengths = x.shape;
        p.strides = strides_of(x.shape);
        p.eps = o.eps;
        p.in = add(x);
    }

    int add(const operand& y)
    {
        return with_type(p.type, [&](auto tag) { return p.add_input<typename decltype(tag)::type>(y.values); });
    }
    long_index_t length() const { return x.shape[static_cast<std::size_t>(p.axis)]; }
    /// The operand's shape without the rows' dimension, and with another one in its place.
    std::vector<long_index_t> shape_without_axis() const
    {
        std::vector<long_index_t> shape = x.shape;
        shape.erase(shape.begin() + p.axis);
        return shape;
    }
    std::vector<long_index_t> shape_with_axis(long_index_t length) const
    {
        std::vector<long_index_t> shape = x.shape;
        shape[static_cast<std::size_t>(p.axis)] = length;
        return shape;
    }

    /// f(row, place, step): the elements of each row in C order of the other dimensions, which lie at place + i * step.
    template <class F>
    void for_each_row(const F& f) const
    {
        const auto axis = static_cast<std::size_t>(p.axis);
        const long_index_t inner = count(x.shape, axis + 1, x.shape.size());
        for (long_index_t a = 0; a < count(x.shape, 0, axis); ++a)
            for (long_index_t b = 0; b < inner; ++b) {
                const long_index_t place = a * length() * inner + b;
                tegula::row_of_doubles row;
                for (long_index_t i = 0; i < length(); ++i)
                    row.push_back(x.values[static_cast<std::size_t>(place + i * inner)]);
                f(row, place, inner);
            }
    }

    outcome run(const options& o)
    {
        outcome result;
        result.shape = x.shape;
        compute(kernel, p, result);
        if (result.run.status)
            result.outputs.push_back(
                {"--out", o.out, tegula::make_npy_array<float>(x.shape, p.values<float>(p.out)), {}});
        return result;
    }
};

/// Compares Y, of the operand's shape, with exact(row) for each row; bounds(row)(i, y) is what element i of it, y, may be off
/// by.
template <class Exact, class Bounds>
void verify_rows(const row_task& t, outcome& result, const Exact& exact, const Bounds& bounds_of)
{
    std::vector<double> all(t.x.values.size()), bounds(t.x.values.size());
    t.for_each_row([&](const tegula::row_of_doubles& row, long_index_t place, long_index_t step) {
        const tegula::row_of_doubles y = exact(row);
        const auto bound = bounds_of(row);
        for (std::size_t i = 0; i < y.size(); ++i) {
            const auto at = static_cast<std::size_t>(place + static_cast<long_index_t>(i) * step);
            all[at] = y[i];
            bounds[at] = bound(i, y[i]);
        }
    });
    result.outputs[0].errors = compare(t.p.values<float>(t.p.out), all, [&](std::size_t i) { return bounds[i]; });
}

/// The error of a sum of n positive terms in blocks of a few dozen, in units of its value: the blocks' sums are added up
/// one after the other, in float.
double sum_error(std::size_t n) { return (static_cast<double>(n) / 4096 + 64) * 0x1p-24; }

/// exp(x - greatest) is as exact as its argument, to which a product adds two roundings; the chip's power adds two units.
double power_error(double below) { return (std::fabs(below) * 2 + 6) * 0x1p-24; }

outcome run_softmax(const options& o, bool logarithm)
{
    row_task t(o, logarithm ? row_operation::log_softmax : row_operation::softmax, o.axis);
    t.p.out = t.p.add_output<float>(count(t.x.shape));
    outcome result = t.run(o);
    if (!o.verify || !result.run.status)
        return result;
    verify_rows(
        t, result, [&](const auto& row) { return tegula::reference_softmax(row, logarithm); },
        [&](const auto& row) {
            const auto n = static_cast<double>(row.size());
            return [logarithm, n, sum = 2 * sum_error(row.size()) + 16 * 0x1p-24](std::size_t, double y) {
                if (logarithm) // x - greatest, less the sum's logarithm
                    return sum + (std::fabs(y) + std::log(n)) * 0x1p-22;
                return y * (sum + power_error(std::log(y > 0 ? y : 0x1p-149)) * 2) + 0x1p-126;
            };
        });
    return result;
}

outcome run_norm(const options& o, tegula::norm_kind kind)
{
    const bool layer = kind == tegula::norm_kind::layer;
    row_task t(o, layer ? row_operation::layernorm : row_operation::rmsnorm, o.axis);
    tegula::row_of_doubles weight, bias;
    const auto of_row = [&](const char* option, const std::string& path, tegula::row_of_doubles& values) {
        if (path.empty())
            return problem::none;
        const operand w = read_operand(option, path, t.kernel.rounding);
        check_shape(w, {t.length()}, "one number for each element of --axis");
        values.assign(w.values.begin(), w.values.end());
        return t.add(w);
    };
    t.p.weight = of_row("--weight", o.weight, weight);
    t.p.bias = of_row("--bias", o.bias, bias);
    if (!o.residual.empty()) {
        const operand residual = read_operand("--residual", o.residual, t.kernel.rounding);
        check_shape(residual, t.x.shape, "the shape of --in");
        t.p.residual = t.add(residual);
        t.p.sum = t.add(t.x); // memory of that size, which the kernel writes
        with_type(t.p.type, [&](auto tag) {
            using type = typename decltype(tag)::type;
            for (std::size_t i = 0; i < residual.values.size(); ++i)
                t.x.values[i] = static_cast<float>(tegula::convert<type>(t.x.values[i] + residual.values[i]));
        });
    }
    t.p.out = t.p.add_output<float>(count(t.x.shape));
    outcome result = t.run(o);
    if (!o.verify || !result.run.status)
        return result;
    verify_rows(
        t, result, [&](const auto& row) { return tegula::reference_norm(kind, row, weight, bias, o.eps); },
        [&](const auto& row) {
            // The mean is exact to a few roundings of the largest element, which the deviation divides.
            const tegula::row_statistics of = tegula::reference_statistics(kind, row, o.eps);
            double largest = 0;
            for (const double v : row)
                largest = std::fmax(largest, std::fabs(v));
            const double error = sum_error(row.size()) + 8 * 0x1p-24;
            return [&, error, of_mean = of.inverse_deviation * largest * error * 2](std::size_t i, double y) {
                const double w = weight.empty() ? 1 : std::fabs(weight[i]), b = bias.empty() ? 0 : std::fabs(bias[i]);
                return w * of_mean + (std::fabs(y) + b) * error + 0x1p-126;
            };
        });
    return result;
}

outcome run_cross_entropy(const options& o)
{
    row_task t(o, row_operation::cross_entropy, -1);
    const integers labels = read_integers("--labels", o.labels);
    const std::vector<long_index_t> shape = t.shape_without_axis();
    check_shape(labels, shape, "a label for each row of --in");
    for (const std::int64_t label : labels.values)
        if (label != -100 && (label < 0 || label >= t.length()))
            throw bad_input("--labels has " + std::to_string(label) + "; labels are from 0 to " +
                            std::to_string(t.length() - 1) + ", or -100 for a row that is left out");
    t.p.labels = t.p.add_input<long_index_t>(labels.values);
    t.p.out = t.p.add_output<float>(count(shape));
    outcome result;
    result.shape = t.x.shape;
    compute(t.kernel, t.p, result);
    if (!result.run.status)
        return result;
    const std::vector<float> losses = t.p.values<float>(t.p.out);
    result.outputs.push_back({"--out", o.out, tegula::make_npy_array<float>(shape, losses), {}});
    if (o.verify) {
        std::vector<double> exact, bounds;
        t.for_each_row([&](const tegula::row_of_doubles& row, long_index_t, long_index_t) {
            const std::int64_t label = labels.values[exact.size()];
            const double logit = label == -100 ? 0 : row[static_cast<std::size_t>(label)];
            exact.push_back(label == -100 ? 0 : -tegula::reference_exponentials(row).logarithm_of(logit));
            bounds.push_back(2 * sum_error(row.size()) + 16 * 0x1p-24 +
                             (std::fabs(exact.back()) + std::log(static_cast<double>(row.size()))) * 0x1p-22);
        });
        result.outputs[0].errors = compare(losses, exact, [&](std::size_t i) { return bounds[i]; });
    }
    return result;
}

/// Puts [rows, k] into the places of an array whose dimension `axis` has k elements.
template <class T>
std::vector<T> to_axis(const row_task& t, const std::vector<T>& rows, long_index_t k)
{
    std::vector<T> result(rows.size());
    const long_index_t inner = count(t.x.shape, static_cast<std::size_t>(t.p.axis) + 1, t.x.shape.size());
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const auto row = static_cast<long_index_t>(at) / k, i = static_cast<long_index_t>(at) % k;
        result[static_cast<std::size_t>((row / inner * k + i) * inner + row % inner)] = rows[at];
    }
    return result;
}

/// Results of topk_softmax: [rows, k], rows in C order of the other dimensions.
struct found_weights
{
    outcome result;
    std::vector<float> weights;
    std::vector<long_index_t> indices;
};

found_weights find_in_one_step(row_task& t, long_index_t k)
{
    const long_index_t all = count(t.shape_with_axis(k));
    t.p.k = static_cast<index_t>(k);
    t.p.out = t.p.add_output<float>(all);
    t.p.indices = t.p.add_output<long_index_t>(all);
    found_weights found;
    compute(t.kernel, t.p, found.result);
    found.weights = t.p.values<float>(t.p.out);
    found.indices = t.p.values<long_index_t>(t.p.indices);
    return found;
}

/// For more than the kernel has lanes: the k largest elements, and their softmax, which is that of the row renormalised.
found_weights find_in_two_steps(const options& o, const row_task& t, long_index_t k)
{
    const long_index_t rows = t.length() == 0 ? 0 : count(t.x.shape) / t.length();
    shape_problem largest;
    largest.operation = shape_operation::topk;
    largest.type = t.p.type;
    largest.in_lengths = {rows, t.length()};
    largest.out_lengths = {rows, k};
    largest.axis = 1;
    std::vector<float> in_rows;
    t.for_each_row([&](const tegula::row_of_doubles& row, long_index_t, long_index_t) {
        in_rows.insert(in_rows.end(), row.begin(), row.end());
    });
    row_problem softmax;
    softmax.operation = row_operation::softmax;
    softmax.type = t.p.type;
    softmax.axis = 1;
    softmax.lengths = {rows, k};
    softmax.strides = {k, 1};
    softmax.out = softmax.add_output<float>(rows * k);
    found_weights found;
    with_type(t.p.type, [&](auto tag) {
        using type = typename decltype(tag)::type;
        largest.in = largest.add_input<type>(in_rows);
        largest.out = largest.add_output<type>(rows * k);
        largest.indices = largest.add_output<long_index_t>(rows * k);
        compute(select_kernel<shape_problem>(o), largest, found.result);
        softmax.in = softmax.add_input<type>(largest.values<type>(largest.out));
    });
    found.indices = largest.values<long_index_t>(largest.indices);
    if (found.result.run.status) {
        const run_result first = found.result.run;
        compute(t.kernel, softmax, found.result);
        found.result.run.seconds += first.seconds;
        found.result.run.counters += first.counters;
    }
    found.weights = softmax.values<float>(softmax.out);
    return found;
}

outcome run_topk_softmax(const options& o)
{
    check_output("--indices", o.indices);
    check_named_files({{"--indices", o.indices}}, {{"--in", o.in}});
    row_task t(o, row_operation::topk_softmax, o.axis);
    if (o.k < 1 || o.k > t.length())
        throw bad_input("--k is " + std::to_string(o.k) + "; it must be from 1 to " + std::to_string(t.length()) +
                        ", the length of --axis");
    auto [result, weights, indices] =
        o.k <= tegula::max_topk_softmax ? find_in_one_step(t, o.k) : find_in_two_steps(o, t, o.k);
    result.shape = t.x.shape;
    if (!result.run.status)
        return result;
    const std::vector<long_index_t> shape = t.shape_with_axis(o.k);
    result.outputs.push_back({"--out", o.out, tegula::make_npy_array<float>(shape, to_axis(t, weights, o.k)), {}});
    result.outputs.push_back(
        {"--indices", o.indices, tegula::make_npy_array<long_index_t>(shape, to_axis(t, indices, o.k)), {}});
    if (o.verify) {
        std::vector<double> exact, bounds, places;
        t.for_each_row([&](const tegula::row_of_doubles& row, long_index_t, long_index_t) {
            std::vector<long_index_t> order;
            for (const double y : tegula::reference_topk_softmax(row, static_cast<std::size_t>(o.k), true, order)) {
                exact.push_back(y);
                bounds.push_back(
                    y * (sum_error(static_cast<std::size_t>(o.k)) + 2 * power_error(std::log(y > 0 ? y : 0x1p-149))) +
                    0x1p-126);
            }
            places.insert(places.end(), order.begin(), order.end());
        });
        result.outputs[0].errors = compare(weights, exact, [&](std::size_t i) { return bounds[i]; });
        result.outputs[1].errors =
            compare({indices.begin(), indices.end()}, places, [](std::size_t) { return 0x1p-126; });
    }
    return result;
}

const bool added = add_operations({
    {"softmax",
     "exp(x) over its sum along --axis",
     {},
     {"--axis"},
     [](const options& o) { return run_softmax(o, false); }},
    {"log_softmax", "The logarithm of softmax", {}, {"--axis"}, [](const options& o) { return run_softmax(o, true); }},
    {"layernorm",
     "(x - mean) / deviation * weight + bias along --axis",
     {},
     {"--axis", "--weight", "--bias", "--eps", "--residual"},
     [](const options& o) { return run_norm(o, tegula::norm_kind::layer); }},
    {"rmsnorm",
     "x / root mean square * weight + bias along --axis",
     {},
     {"--axis", "--weight", "--bias", "--eps", "--residual"},
     [](const options& o) { return run_norm(o, tegula::norm_kind::rms); }},
    {"cross_entropy", "log(sum(exp(x))) - x[label] of each row of the last axis", {"--labels"}, {}, &run_cross_entropy},
    {"topk_softmax",
     "The k largest of softmax along --axis, renormalised",
     {"--k"},
     {"--axis", "--indices"},
     &run_topk_softmax},
});

} // namespace
} // namespace ops_example
