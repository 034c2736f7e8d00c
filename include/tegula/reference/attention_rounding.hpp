#pragma once

#include <tegula/core/number_traits.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

/// Bounds of the rounding error of a kernel's attention.
///
/// A score x_j has an error of at most d_j. It is the sum of gamma_n of the terms of q . k (Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd edition, section 3.1), carried through the functor, and one rounding for each
/// number that is added. Then the logarithm of the sum of all scores lies in [low, high] = log(sum(exp(x_k -+ d_k))).
/// P_j = exp(x_j - lse) lies between exp(x_j - d_j - high) and exp(x_j + d_j - low), and is at most 1. No derivative is
/// used: it is no bound for scores about 1e9, whose rounding changes P by factors. Each product of the formula has
/// gamma_n of its terms, and each number stored in a type of fewer bits has the unit of that type. An error of a factor
/// is multiplied by the other factor. O is also bounded as a mean of V. The backward pass computes P once more, with a
/// rounded lse, and delta = rowsum(dO O) with the stored O. If dP and delta cancel, as with few keys, that is most of
/// the error of dQ and dK.

namespace tegula::detail {

/// The rounding errors of one row of scores.
struct attention_row_rounding
{
    /// Largest relative error of an exponential, by a polynomial of degree 4 and its rounded argument.
    static constexpr double exponential = 0x1p-17;
    /// Error of a sum of `terms` products by matrix units, relative to the sum of their magnitudes (gemm_error_bound).
    static double sum_error(index_t terms) { return (static_cast<double>(terms) + 4) * 0x1p-23; }

    /// Largest relative error of rounding to T.
    template <class T>
    static constexpr double unit = [] {
        if constexpr (std::is_same_v<T, double>)
            return 0x1p-53;
        else
            return static_cast<double>(number_traits<T>::epsilon()) / 2;
    }();
    /// T's least positive number.
    template <class T>
    static constexpr double least = [] {
        if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>)
            return 0x1p-126;
        else {
            double x = 1;
            for (int i = 1 - T::format::bias - T::format::mantissa_bits; i < 0; ++i)
                x /= 2;
            return x;
        }
    }();
    /// Error of rounding a number of that magnitude to T.
    template <class T>
    static double storing(double magnitude)
    {
        return magnitude * unit<T> + least<T>;
    }

    struct rounded_score
    {
        double value = 0, error = 0;
    };
    std::vector<rounded_score> scores; ///< of keys; -inf if hidden
    double sink = -HUGE_VAL;
    double low = 0, high = 0; ///< bounds of the logarithm of the sum

    /// Computes low and high from scores and sink.
    void end_row()
    {
        double top = sink;
        for (const rounded_score& x : scores)
            top = std::fmax(top, x.value + x.error);
        if (top == -HUGE_VAL)
            return;
        double least_sum = std::exp(sink - sink_error() - top), greatest_sum = std::exp(sink + sink_error() - top);
        for (const rounded_score& x : scores) {
            least_sum += std::exp(x.value - x.error - top);
            greatest_sum += std::exp(x.value + x.error - top);
        }
        low = top + std::log(least_sum), high = top + std::log(greatest_sum);
    }
    double lse_error() const
    {
        const double keys = static_cast<double>(scores.size());
        return high - low + 0x1p-22 * (1 + std::fabs(high) + std::fabs(low)) / 2 + exponential + keys * 0x1p-24;
    }

    /// Error bound of P of key j, whose exact value is p, in the forward pass.
    double error(std::size_t j, double p) const { return error_of(scores[j], p, 0); }
    /// Likewise in the backward pass, whose lse is a rounded number.
    double recomputed_error(std::size_t j, double p) const { return error_of(scores[j], p, rounding_of_lse()); }
    double recomputed_sink_error(double p) const { return error_of({sink, sink_error()}, p, rounding_of_lse()); }

private:
    double sink_error() const { return std::isfinite(sink) ? 0x1p-22 * std::fabs(sink) : 0; }
    double rounding_of_lse() const { return 0x1p-21 * std::fmax(std::fabs(low), std::fabs(high)); }

    double error_of(const rounded_score& x, double p, double more) const
    {
        if (x.value == -HUGE_VAL)
            return 0;
        const double greatest = std::fmin(std::exp(x.value + x.error - low + more), 1);
        return std::fmax(greatest - p, p - std::exp(x.value - x.error - high - more)) + 0x1p-126; // below it P is 0
    }
};

/// A row of O, and the bounds of a kernel's error, stored as O.
///
///   T  type of Q, K and V; weights are rounded to it, too
template <class T, class O>
struct attention_output_row
{
    std::vector<double> values, errors;

    explicit attention_output_row(index_t columns)
        : values(static_cast<std::size_t>(columns)), errors(values.size()), largest_(values.size())
    {}

    /// Computes for the row that compute_row was called for last.
    template <class Head>
    void compute(const Head& head)
    {
        using rounding = attention_row_rounding;
        for (auto* x : {&values, &errors, &largest_})
            std::fill(x->begin(), x->end(), 0.0);
        const index_t keys = head.sequence().keys;
        // The largest weight is 1 or more; with 8 bits it is 2^6 or more (online_softmax).
        const double smallest = head.template smallest<T>() * (sizeof(T) == 1 ? 0x1p-6 : 1);
        const double to_weight = rounding::unit<T> + rounding::exponential + rounding::sum_error(keys);
        double moved = 0;
        for (index_t j = 0; j < keys; ++j) {
            if (!head.sees(j))
                continue;
            const double p = head.p(j), error = head.rounding().error(static_cast<std::size_t>(j), p);
            const double weight = p * head.factor(j);
            const double weight_error = head.factor(j) * (error + (p + error) * to_weight + smallest);
            moved += error;
            for (std::size_t c = 0; c < values.size(); ++c) {
                const double v = head.v(j)[c];
                values[c] += weight * v;
                errors[c] += (weight_error + weight * head.lost(v)) * std::fabs(v);
                largest_[c] = std::fmax(largest_[c], head.factor(j) * std::fabs(v));
            }
        }
        for (std::size_t c = 0; c < values.size(); ++c) {
            if (moved > 1) // a mean, rounded
                errors[c] = std::fmin(errors[c], (std::fabs(values[c]) + largest_[c]) * (1 + to_weight));
            errors[c] += rounding::storing<O>(std::fabs(values[c]) + errors[c]);
        }
    }

private:
    std::vector<double> largest_; ///< largest |V| of the keys that the row sees, times dropout's factor
};

} // namespace tegula::detail
