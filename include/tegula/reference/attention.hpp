#pragma once

#include <tegula/core/convert.hpp>
#include <tegula/reference/attention_head.hpp>
#include <tegula/reference/blocked_product.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <type_traits>
#include <vector>

/// Attention by its formula, row by row, in 64-bit arithmetic, with bounds of a kernel's rounding error. It runs on the
/// host; pointers in the arguments are the host's. reference/attention_rounding.hpp derives the bounds.

namespace tegula {

/// Numbers [batch, heads, rows, columns] in C order, and for each a bound of a kernel's error.
struct attention_array
{
    long_index_t batch = 0, heads = 0, rows = 0, columns = 0;
    std::vector<double> values, bounds;

    attention_array() = default;
    attention_array(long_index_t b, long_index_t h, long_index_t r, long_index_t c)
        : batch(b), heads(h), rows(r), columns(c), values(static_cast<std::size_t>(b * h * r * c)),
          bounds(values.size())
    {}
    double* row(long_index_t b, long_index_t h, long_index_t r) { return values.data() + row_offset(b, h, r); }
    const double* row(long_index_t b, long_index_t h, long_index_t r) const
    {
        return values.data() + row_offset(b, h, r);
    }
    double* bounds_of_row(long_index_t b, long_index_t h, long_index_t r)
    {
        return bounds.data() + row_offset(b, h, r);
    }

private:
    long_index_t row_offset(long_index_t b, long_index_t h, long_index_t r) const
    {
        return ((b * heads + h) * rows + r) * columns;
    }
};

/// If offsets are given, arrays of queries (or keys) have one batch entry with the rows of all sequences.
struct attention_result
{
    attention_array o;   ///< [batch, heads, seq_q, value_dim]
    attention_array lse; ///< [batch, heads, seq_q, 1]
};

struct attention_gradients
{
    attention_array dq, dk, dv;  ///< shaped like Q, K and V
    std::vector<double> d_bias;  ///< in the bias's strides, which may not be negative; empty if there is no bias
    std::vector<double> d_sinks; ///< [heads]; empty if there are none
    std::vector<double> d_bias_bounds, d_sink_bounds;
};

namespace detail {

template <class Arguments>
attention_array make_query_array(const Arguments& a, long_index_t columns)
{
    const index_t* const offsets = a.lengths.query_offsets;
    return offsets == nullptr ? attention_array(a.batch, a.heads, a.seq_q, columns)
                              : attention_array(1, a.heads, offsets[a.batch], columns);
}
template <class Arguments>
attention_array make_key_array(const Arguments& a, long_index_t columns)
{
    const index_t* const offsets = a.lengths.key_offsets;
    return offsets == nullptr ? attention_array(a.batch, a.kv_heads, a.seq_k, columns)
                              : attention_array(1, a.kv_heads, offsets[a.batch], columns);
}

} // namespace detail

/// O and lse in double. Sequences and heads are spread over all cores.
///
///   Variant      that of the kernel to compare with
///   least_input  numbers of smaller magnitude count as zero in its products, which widens the bounds; see
///                tegula::least_input(arch, kind)
///
/// Preconditions: can_implement; right contents of offsets, page tables and lists, which it cannot check; pointers are
/// the host's. O and lse of the arguments are not written. Keys that a query does not see have no effect, even NaN.
template <class Variant, class T, class O, class Score>
attention_result reference_attention(const attention_arguments<T, O, Score>& a, double least_input = 0)
{
    attention_result result{detail::make_query_array(a, a.value_dim), detail::make_query_array(a, 1)};
    detail::parallel_for(a.batch * a.heads, [&](long_index_t task) {
        const auto batch = static_cast<index_t>(task / a.heads), head = static_cast<index_t>(task % a.heads);
        detail::attention_head<Variant, attention_arguments<T, O, Score>> one(a, batch, head, least_input);
        detail::attention_output_row<T, O> row(a.value_dim);
        const attention_sequence& s = one.sequence();
        for (index_t i = 0; i < s.queries; ++i) {
            one.compute_row(i);
            *result.lse.row(s.query_batch, head, s.first_query + i) = one.lse();
            *result.lse.bounds_of_row(s.query_batch, head, s.first_query + i) = one.rounding().lse_error();
            row.compute(one);
            std::copy(row.values.begin(), row.values.end(), result.o.row(s.query_batch, head, s.first_query + i));
            std::copy(row.errors.begin(), row.errors.end(),
                      result.o.bounds_of_row(s.query_batch, head, s.first_query + i));
        }
    });
    return result;
}

/// The gradients of sum(O * dO) in double, from Q, K, V and dO alone: O and lse of the arguments are not read. With
/// P the probabilities and Z the factors of dropout:
///     dP = Z * (dO V^T), dS = P * (dP - rowsum(P * dP)), dbias = dS, dQ = scale (dS score') K,
///     dK = scale (dS score')^T Q, dV = (Z * P)^T dO, dsink = -sum(P_sink * rowsum(P * dP)).
template <class Variant, class T, class O, class Gradient, class Score>
attention_gradients reference_attention_backward(const attention_backward_arguments<T, O, Gradient, Score>& b,
                                                 double least_input = 0)
{
    using arguments = attention_arguments<T, O, Score>;
    using head_type = detail::attention_head<Variant, arguments>;
    using rounding = detail::attention_row_rounding;
    const arguments& a = b.forward;
    attention_gradients g{detail::make_query_array(a, a.head_dim),
                          detail::make_key_array(a, a.head_dim),
                          detail::make_key_array(a, a.value_dim),
                          {},
                          {},
                          {},
                          {}};
    const auto& bias = a.bias;
    if (Variant::bias == attention_bias::tensor && a.batch * a.heads * a.seq_q * a.seq_k > 0)
        g.d_bias.resize(static_cast<std::size_t>((a.batch - 1) * bias.batch_stride + (a.heads - 1) * bias.head_stride +
                                                 (a.seq_q - 1) * bias.query_stride + (a.seq_k - 1) * bias.key_stride +
                                                 1));
    if (a.sinks != nullptr)
        g.d_sinks.resize(static_cast<std::size_t>(a.heads));
    g.d_bias_bounds.resize(g.d_bias.size());
    g.d_sink_bounds.resize(g.d_sinks.size());
    const index_t group = a.kv_heads > 0 ? a.heads / a.kv_heads : 1;
    std::mutex sums;

    const double to_weight = rounding::unit<T> + rounding::exponential;
    const auto one_head = [&](index_t batch, index_t head) {
        head_type one(a, batch, head, least_input);
        const double smallest = one.template smallest<T>();
        const attention_sequence& s = one.sequence();
        const auto columns = static_cast<std::size_t>(a.value_dim);
        detail::attention_output_row<T, O> output(a.value_dim);
        std::vector<double> d_o(columns);
        struct product
        {
            double value = 0, error = 0;
        };
        std::vector<product> dp(static_cast<std::size_t>(s.keys));
        const double over_keys = rounding::sum_error(s.keys), over_queries = rounding::sum_error(s.queries * group);
        for (index_t i = 0; i < s.queries; ++i) {
            one.compute_row(i);
            output.compute(one);
            const auto* from = b.d_o.data + s.query_batch * b.d_o.batch_stride + head * b.d_o.head_stride +
                               (s.first_query + i) * b.d_o.row_stride;
            for (std::size_t c = 0; c < columns; ++c)
                d_o[c] =
                    static_cast<double>(convert<std::conditional_t<std::is_same_v<O, double>, double, float>>(from[c]));
            double delta = 0, delta_error = 0;
            for (index_t j = 0; j < s.keys; ++j) {
                product& x = dp[static_cast<std::size_t>(j)];
                x = {};
                if (!one.sees(j))
                    continue;
                const auto sum = one.dot(d_o.data(), one.v(j), a.value_dim);
                x = {one.factor(j) * sum.value, one.factor(j) * sum.error};
                delta += one.p(j) * x.value;
            }
            for (std::size_t c = 0; c < columns; ++c)
                delta_error += std::fabs(d_o[c]) *
                               (output.errors[c] + std::fabs(output.values[c]) * rounding::sum_error(a.value_dim));
            double* const dq = g.dq.row(s.query_batch, head, s.first_query + i);
            double* const dq_error = g.dq.bounds_of_row(s.query_batch, head, s.first_query + i);
            for (index_t j = 0; j < s.keys; ++j) {
                if (!one.sees(j))
                    continue;
                const double p = one.p(j), p_error = one.rounding().recomputed_error(static_cast<std::size_t>(j), p);
                const auto [dp_value, dp_error] = dp[static_cast<std::size_t>(j)];
                const double ds = p * (dp_value - delta);
                const double ds_error = p_error * (std::fabs(dp_value - delta) + dp_error + delta_error) +
                                        p * (dp_error + delta_error) + std::fabs(ds) * rounding::exponential;
                const double scale = static_cast<double>(a.scale);
                const double derivative = static_cast<double>(a.score.derivative(one.raw(j), one.place(i, j)));
                const double change = scale * derivative * ds;
                const double change_error =
                    std::fabs(scale) * (std::fabs(derivative) * ds_error + one.derivative_error(i, j) * std::fabs(ds) +
                                        (std::fabs(derivative * ds) + ds_error) * rounding::unit<T> + smallest);
                double* const dk = g.dk.row(s.key_batch, one.kv_head(), s.first_key + j);
                double* const dk_error = g.dk.bounds_of_row(s.key_batch, one.kv_head(), s.first_key + j);
                double* const dv = g.dv.row(s.key_batch, one.kv_head(), s.first_key + j);
                double* const dv_error = g.dv.bounds_of_row(s.key_batch, one.kv_head(), s.first_key + j);
                for (index_t c = 0; c < a.head_dim; ++c) {
                    dq[c] += change * one.k(j)[c];
                    dk[c] += change * one.q(i)[c];
                    const double k = one.k(j)[c], q = one.q(i)[c];
                    dq_error[c] += (change_error + std::fabs(change) * (over_keys + one.lost(k))) * std::fabs(k);
                    dk_error[c] += (change_error + std::fabs(change) * (over_queries + one.lost(q))) * std::fabs(q);
                }
                const double kept = p * one.factor(j);
                const double kept_error =
                    one.factor(j) * (p_error + (p + p_error) * (to_weight + over_queries)) + smallest;
                for (std::size_t c = 0; c < columns; ++c) {
                    dv[c] += kept * d_o[c];
                    dv_error[c] += (kept_error + kept * one.lost(d_o[c])) * std::fabs(d_o[c]);
                }
                if (!g.d_bias.empty()) {
                    const auto at = static_cast<std::size_t>(batch * bias.batch_stride + head * bias.head_stride +
                                                             i * bias.query_stride + j * bias.key_stride);
                    const std::lock_guard lock(sums);
                    g.d_bias[at] += ds;
                    // One element is the sum of all scores at most.
                    g.d_bias_bounds[at] += ds_error + std::fabs(ds) * (over_keys + over_queries);
                }
            }
            if (a.sinks != nullptr) {
                const double p = one.sink_probability(), p_error = one.rounding().recomputed_sink_error(p);
                const std::lock_guard lock(sums);
                g.d_sinks[static_cast<std::size_t>(head)] -= p * delta;
                g.d_sink_bounds[static_cast<std::size_t>(head)] +=
                    p_error * (std::fabs(delta) + delta_error) + p * delta_error +
                    p * std::fabs(delta) * (rounding::exponential + over_queries);
            }
        }
    };
    // A task for each head of K and V: no other task adds to its gradients.
    detail::parallel_for(a.batch * a.kv_heads, [&](long_index_t task) {
        const auto batch = static_cast<index_t>(task / a.kv_heads), kv_head = static_cast<index_t>(task % a.kv_heads);
        for (index_t h = 0; h < group; ++h)
            one_head(batch, kv_head * group + h);
    });
    for (attention_array* x : {&g.dq, &g.dk, &g.dv})
        for (std::size_t i = 0; i < x->values.size(); ++i)
            x->bounds[i] += rounding::storing<Gradient>(std::fabs(x->values[i]) + x->bounds[i]);
    return g;
}

} // namespace tegula
