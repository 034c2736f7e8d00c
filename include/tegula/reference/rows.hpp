#pragma once

#include <tegula/kernel/normalization/norm_arguments.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

/// References for kernels on rows, one row at a time, in double.

namespace tegula {

using row_of_doubles = std::vector<double>;

/// log(sum(exp(x))) = greatest + log_sum. They stay apart: with a large `greatest` their sum would lose log_sum.
struct reference_exponentials
{
    double greatest = -HUGE_VAL, log_sum = 0;

    explicit reference_exponentials(std::span<const double> x)
    {
        for (const double v : x)
            greatest = std::isnan(v) ? v : std::max(greatest, v);
        double sum = 0;
        for (const double v : x)
            sum += std::exp(v - greatest);
        log_sum = std::log(sum);
    }
    /// The logarithm of the softmax of an element.
    double logarithm_of(double x) const { return x - greatest - log_sum; }
};

inline row_of_doubles reference_softmax(std::span<const double> x, bool logarithm = false)
{
    const reference_exponentials of(x);
    row_of_doubles y(x.begin(), x.end());
    for (double& v : y)
        v = logarithm ? of.logarithm_of(v) : std::exp(of.logarithm_of(v));
    return y;
}

/// The numbers that a row is normalised by.
struct row_statistics
{
    double mean = 0;
    double inverse_deviation = 1;
};

inline row_statistics reference_statistics(norm_kind kind, std::span<const double> x, double epsilon)
{
    if (kind == norm_kind::none)
        return {};
    const auto n = static_cast<double>(x.size());
    const double mean = kind == norm_kind::layer ? std::accumulate(x.begin(), x.end(), 0.0) / n : 0;
    double squares = 0;
    for (const double v : x)
        squares += (v - mean) * (v - mean);
    return {mean, 1 / std::sqrt(squares / n + epsilon)};
}

/// The normalised row; weight and bias may be empty.
inline row_of_doubles reference_norm(norm_kind kind, std::span<const double> x, std::span<const double> weight,
                                     std::span<const double> bias, double epsilon)
{
    const row_statistics of = reference_statistics(kind, x, epsilon);
    row_of_doubles y(x.begin(), x.end());
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] =
            (y[i] - of.mean) * of.inverse_deviation * (weight.empty() ? 1 : weight[i]) + (bias.empty() ? 0 : bias[i]);
    return y;
}

/// Gradients of sum(dy * reference_norm(x)): those of one row of x, and the row's share of those of weight and bias.
struct reference_norm_gradients
{
    row_of_doubles dx, dweight, dbias;

    reference_norm_gradients(norm_kind kind, std::span<const double> x, std::span<const double> weight,
                             std::span<const double> dy, double epsilon)
        : dx(x.size()), dweight(x.size()), dbias(dy.begin(), dy.end())
    {
        const row_statistics of = reference_statistics(kind, x, epsilon);
        double average = 0, slope = 0;
        const auto g = [&](std::size_t i) { return dy[i] * (weight.empty() ? 1 : weight[i]); };
        const auto n = [&](std::size_t i) { return (x[i] - of.mean) * of.inverse_deviation; };
        for (std::size_t i = 0; i < x.size(); ++i) {
            average += kind == norm_kind::layer ? g(i) / static_cast<double>(x.size()) : 0;
            slope += g(i) * n(i) / static_cast<double>(x.size());
            dweight[i] = dy[i] * n(i);
        }
        for (std::size_t i = 0; i < x.size(); ++i)
            dx[i] = of.inverse_deviation * (g(i) - average - n(i) * slope);
    }
};

/// The indices of the elements from the largest to the least: NaN first, the lower index first among equals.
inline std::vector<long_index_t> reference_order(std::span<const double> x)
{
    std::vector<long_index_t> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](long_index_t a, long_index_t b) {
        const double v = x[static_cast<std::size_t>(a)], w = x[static_cast<std::size_t>(b)];
        if (std::isnan(v) != std::isnan(w))
            return std::isnan(v);
        return v > w || (!(w > v) && a < b);
    });
    return order;
}

/// The k largest probabilities of the softmax; `indices` are their indices in x.
inline row_of_doubles reference_topk_softmax(std::span<const double> x, std::size_t k, bool renormalize,
                                             std::vector<long_index_t>& indices)
{
    indices = reference_order(x);
    indices.resize(k);
    row_of_doubles chosen;
    for (const long_index_t i : indices)
        chosen.push_back(x[static_cast<std::size_t>(i)]);
    const reference_exponentials of(renormalize ? std::span<const double>(chosen) : x);
    for (double& v : chosen)
        v = std::exp(of.logarithm_of(v));
    return chosen;
}

} // namespace tegula
