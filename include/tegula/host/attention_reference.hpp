#pragma once

#include <tegula/core/convert.hpp>
#include <tegula/host/blocked_product.hpp>
#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/kernel/attention/sequence.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <type_traits>
#include <vector>

/// Attention by its formula, row by row, in 64-bit arithmetic; on the host, with all pointers of the arguments the host's.

namespace tegula {

/// Numbers [batch, heads, rows, columns] in C order.
struct attention_array
{
    long_index_t batch = 0, heads = 0, rows = 0, columns = 0;
    std::vector<double> values;

    attention_array() = default;
    attention_array(long_index_t b, long_index_t h, long_index_t r, long_index_t c)
        : batch(b), heads(h), rows(r), columns(c), values(static_cast<std::size_t>(b * h * r * c))
    {}
    double* row(long_index_t b, long_index_t h, long_index_t r)
    {
        return values.data() + ((b * heads + h) * rows + r) * columns;
    }
    const double* row(long_index_t b, long_index_t h, long_index_t r) const
    {
        return values.data() + ((b * heads + h) * rows + r) * columns;
    }
};

/// If offsets are given, the arrays by queries (or by keys) have one batch entry with the rows of all sequences.
struct attention_result
{
    attention_array o;   ///< [batch, heads, seq_q, value_dim]
    attention_array lse; ///< [batch, heads, seq_q, 1]
};

struct attention_gradients
{
    attention_array dq, dk, dv;  ///< shaped like Q, K and V
    std::vector<double> d_bias;  ///< by the bias's strides, which may not be negative; empty if there is no bias
    std::vector<double> d_sinks; ///< [heads]; empty if there are none
    /// dQ and dK with the absolute values of all terms, P * (|dP| + |rowsum(P * dP)|) for dS: what cancels in them.
    attention_array dq_magnitudes, dk_magnitudes;
};

namespace detail {

/// One head of one sequence: its inputs in double, and the rows of its formula.
///
///   Variant       of the kernel
///   Intermediate  what every tensor of the formula is rounded to: double, or a type of fewer bits to learn how far its
///                 rounding alone leads
template <class Variant, class Intermediate, class Arguments>
class attention_head
{
public:
    attention_head(const Arguments& args, index_t batch, index_t head)
        : args_(args), batch_(batch), head_(head), kv_head_(head / (args.heads / args.kv_heads)),
          at_(attention_sequence::at(args, batch)),
          mask_{args.dropout, static_cast<std::uint32_t>(batch * args.heads + head)},
          q_(gather(args.q, at_.query_batch, head, at_.first_query, at_.queries, args.head_dim)),
          k_(gather_cached(args.k, args.head_dim)), v_(gather_cached(args.v, args.value_dim))
    {
        if constexpr (sizeof(q_type) == 1) {
            scale_rows(q_, args.q_scale, head, at_.queries, args.head_dim);
            scale_rows(k_, args.k_scale, kv_head_, at_.keys, args.head_dim);
            scale_rows(v_, args.v_scale, kv_head_, at_.keys, args.value_dim);
        }
        const auto keys = static_cast<std::size_t>(at_.keys);
        raw_.resize(keys);
        p_.resize(keys);
        kept_.resize(keys);
    }

    const attention_sequence& sequence() const { return at_; }
    index_t kv_head() const { return kv_head_; }
    const double* q(index_t i) const { return q_.data() + static_cast<std::size_t>(i) * columns(); }
    const double* k(index_t j) const { return k_.data() + static_cast<std::size_t>(j) * columns(); }
    const double* v(index_t j) const
    {
        return v_.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(args_.value_dim);
    }
    attention_place place(index_t i, index_t j) const { return {batch_, head_, i, j}; }

    // Of the row that compute_row was called for last:
    double lse() const { return lse_; }
    double p(index_t j) const { return p_[static_cast<std::size_t>(j)]; }         ///< probability; 0 if hidden
    double factor(index_t j) const { return kept_[static_cast<std::size_t>(j)]; } ///< of dropout: 0, or what is kept
    double raw(index_t j) const { return raw_[static_cast<std::size_t>(j)]; }     ///< scale * (q . k)
    double sink_probability() const { return sink_p_; }

    static double round(double x)
    {
        if constexpr (std::is_same_v<Intermediate, double>)
            return x;
        else
            return static_cast<double>(convert<float>(convert<Intermediate>(x)));
    }
    static double dot(const double* x, const double* y, index_t n)
    {
        double sum = 0;
        for (index_t c = 0; c < n; ++c)
            sum += x[c] * y[c];
        return sum;
    }

    /// Scores, probabilities and their logarithm of the sum, of query i.
    void compute_row(index_t i)
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const double sink = args_.sinks != nullptr ? args_.sinks[head_] : -infinity;
        double largest = sink;
        bool not_a_number = false;
        for (index_t j = 0; j < at_.keys; ++j) {
            double& score = p_[static_cast<std::size_t>(j)];
            score = visible(i, j) ? compute_score(i, j) : -infinity;
            not_a_number = not_a_number || std::isnan(score);
            largest = std::fmax(largest, score);
        }
        double sum = not_a_number ? std::numeric_limits<double>::quiet_NaN() : 0;
        if (largest == -infinity && !not_a_number) { // it sees nothing
            std::fill(p_.begin(), p_.end(), 0.0);
            lse_ = -infinity;
            sink_p_ = 0;
            return;
        }
        for (const double score : p_)
            sum += score == -infinity ? 0 : std::exp(score - largest);
        sink_p_ = sink == -infinity ? 0 : std::exp(sink - largest);
        sum += sink_p_;
        sink_p_ /= sum;
        lse_ = largest + std::log(sum);
        for (index_t j = 0; j < at_.keys; ++j) {
            double& x = p_[static_cast<std::size_t>(j)];
            x = x == -infinity ? 0 : round(std::exp(x - largest) / sum);
            if constexpr (Variant::dropout)
                kept_[static_cast<std::size_t>(j)] = mask_.keeps(i, j) ? static_cast<double>(mask_.factor()) : 0.0;
            else
                kept_[static_cast<std::size_t>(j)] = 1;
        }
    }

private:
    using q_type = std::remove_cvref_t<decltype(*std::declval<Arguments>().q.data)>;

    std::size_t columns() const { return static_cast<std::size_t>(args_.head_dim); }

    template <class T>
    static double element(const T& x)
    {
        if constexpr (std::is_same_v<std::remove_cv_t<T>, double>)
            return x;
        else
            return static_cast<double>(convert<float>(x));
    }

    template <class T>
    static void append_row(std::vector<double>& values, const attention_tensor<T>& x, long_index_t batch, index_t head,
                           long_index_t row, index_t columns)
    {
        const T* from = x.data + batch * x.batch_stride + head * x.head_stride + row * x.row_stride;
        for (index_t c = 0; c < columns; ++c)
            values.push_back(element(from[c]));
    }

    template <class T>
    static std::vector<double> gather(const attention_tensor<T>& x, long_index_t batch, index_t head, index_t first,
                                      index_t rows, index_t columns)
    {
        std::vector<double> values;
        values.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
        for (index_t r = 0; r < rows; ++r)
            append_row(values, x, batch, head, long_index_t{first} + r, columns);
        return values;
    }
    template <class T>
    std::vector<double> gather_cached(const attention_tensor<T>& x, index_t columns) const
    {
        if constexpr (Variant::cache == attention_cache::contiguous) {
            return gather(x, at_.key_batch, kv_head_, at_.first_key, at_.keys, columns);
        } else {
            std::vector<double> values;
            const attention_pages& pages = args_.pages;
            for (index_t r = 0; r < at_.keys; ++r)
                append_row(values, x, pages.table[batch_ * pages.batch_stride + r / pages.page_length], kv_head_,
                           r % pages.page_length, columns);
            return values;
        }
    }

    void scale_rows(std::vector<double>& values, const attention_scale& scale, index_t head, index_t rows,
                    index_t columns) const
    {
        if (scale.data == nullptr)
            return;
        for (index_t r = 0; r < rows; ++r) {
            const index_t block = scale.block_rows == 0 ? 0 : r / scale.block_rows;
            const double by =
                scale.data[batch_ * scale.batch_stride + head * scale.head_stride + block * scale.block_stride];
            for (index_t c = 0; c < columns; ++c)
                values[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)] *=
                    by;
        }
    }

    template <class T>
    auto score_element(const T& x, index_t i, index_t j) const
    {
        return x.data[batch_ * x.batch_stride + head_ * x.head_stride + i * x.query_stride + j * x.key_stride];
    }

    bool visible(index_t i, index_t j) const
    {
        if (!internal::is_shown(args_.score, place(i, j)))
            return false;
        if constexpr (Variant::mask == attention_mask::none)
            return true;
        if (!at_.visible(i, j))
            return false;
        if constexpr (Variant::mask == attention_mask::boolean)
            return score_element(args_.boolean, i, j) != 0;
        if constexpr (Variant::mask == attention_mask::lists) {
            const attention_block_lists& lists = args_.lists;
            const long_index_t list = batch_ * lists.batch_stride + head_ * lists.head_stride + i / lists.query_length;
            const index_t* const blocks = lists.blocks + list * lists.capacity;
            return std::find(blocks, blocks + lists.counts[list], j / lists.key_length) != blocks + lists.counts[list];
        }
        return true;
    }

    double compute_score(index_t i, index_t j)
    {
        double& raw = raw_[static_cast<std::size_t>(j)];
        raw = round(static_cast<double>(args_.scale) * round(dot(q(i), k(j), args_.head_dim)));
        double score = round(static_cast<double>(args_.score(raw, place(i, j))));
        if constexpr (Variant::bias == attention_bias::tensor)
            score = round(score + static_cast<double>(score_element(args_.bias, i, j)));
        if constexpr (Variant::bias == attention_bias::alibi) {
            const double slope = args_.alibi.slopes[batch_ * args_.alibi.batch_stride + head_];
            score = round(score - slope * std::fabs(static_cast<double>(i) + at_.shift - j));
        }
        return score;
    }

    const Arguments& args_;
    index_t batch_, head_, kv_head_;
    attention_sequence at_;
    attention_dropout_mask mask_;
    std::vector<double> q_, k_, v_;
    std::vector<double> raw_, p_, kept_;
    double lse_ = 0, sink_p_ = 0;
};

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

/// O and lse in double. Every sequence and head on a core of its own.
///
///   Variant       of the kernel that is compared
///   Intermediate  see attention_error_bound.hpp; double for the reference
///
/// Preconditions: can_implement, and what it cannot see (offsets, page tables, lists) is right; pointers are the host's.
/// O and lse of the arguments are not written. Keys that a query does not see take no part, whatever they hold.
template <class Variant, class Intermediate = double, class T, class O, class Score>
attention_result reference_attention(const attention_arguments<T, O, Score>& a)
{
    using head_type = detail::attention_head<Variant, Intermediate, attention_arguments<T, O, Score>>;
    attention_result result{detail::make_query_array(a, a.value_dim), detail::make_query_array(a, 1)};
    detail::parallel_for(a.batch * a.heads, [&](long_index_t task) {
        const auto batch = static_cast<index_t>(task / a.heads), head = static_cast<index_t>(task % a.heads);
        head_type one(a, batch, head);
        const attention_sequence& s = one.sequence();
        for (index_t i = 0; i < s.queries; ++i) {
            one.compute_row(i);
            *result.lse.row(s.query_batch, head, s.first_query + i) = one.lse();
            double* const o = result.o.row(s.query_batch, head, s.first_query + i);
            for (index_t j = 0; j < s.keys; ++j)
                if (const double p = head_type::round(one.p(j) * one.factor(j)); p != 0)
                    for (index_t c = 0; c < a.value_dim; ++c)
                        o[c] += p * one.v(j)[c];
            for (index_t c = 0; c < a.value_dim; ++c)
                o[c] = head_type::round(o[c]);
        }
    });
    return result;
}

/// The gradients of sum(O * dO) in double, from Q, K, V and dO alone: O and lse of the arguments are not read. With
/// P the probabilities and Z the factors of dropout:
///     dP = Z * (dO V^T), dS = P * (dP - rowsum(P * dP)), dbias = dS, dQ = scale (dS score') K,
///     dK = scale (dS score')^T Q, dV = (Z * P)^T dO, dsink = -sum(P_sink * rowsum(P * dP)).
template <class Variant, class Intermediate = double, class T, class O, class Gradient, class Score>
attention_gradients reference_attention_backward(const attention_backward_arguments<T, O, Gradient, Score>& b)
{
    using arguments = attention_arguments<T, O, Score>;
    using head_type = detail::attention_head<Variant, Intermediate, arguments>;
    const arguments& a = b.forward;
    attention_gradients g{detail::make_query_array(a, a.head_dim),
                          detail::make_key_array(a, a.head_dim),
                          detail::make_key_array(a, a.value_dim),
                          {},
                          {},
                          detail::make_query_array(a, a.head_dim),
                          detail::make_key_array(a, a.head_dim)};
    const auto& bias = a.bias;
    if (Variant::bias == attention_bias::tensor && a.batch * a.heads * a.seq_q * a.seq_k > 0)
        g.d_bias.resize(static_cast<std::size_t>((a.batch - 1) * bias.batch_stride + (a.heads - 1) * bias.head_stride +
                                                 (a.seq_q - 1) * bias.query_stride + (a.seq_k - 1) * bias.key_stride +
                                                 1));
    if (a.sinks != nullptr)
        g.d_sinks.resize(static_cast<std::size_t>(a.heads));
    const index_t group = a.kv_heads > 0 ? a.heads / a.kv_heads : 1;
    std::mutex sums;

    const auto one_head = [&](index_t batch, index_t head) {
        head_type one(a, batch, head);
        const attention_sequence& s = one.sequence();
        const auto columns = static_cast<std::size_t>(a.value_dim);
        std::vector<double> d_o(columns), dp(static_cast<std::size_t>(s.keys));
        for (index_t i = 0; i < s.queries; ++i) {
            one.compute_row(i);
            const auto* from = b.d_o.data + s.query_batch * b.d_o.batch_stride + head * b.d_o.head_stride +
                               (s.first_query + i) * b.d_o.row_stride;
            for (std::size_t c = 0; c < columns; ++c)
                d_o[c] =
                    static_cast<double>(convert<std::conditional_t<std::is_same_v<O, double>, double, float>>(from[c]));
            double delta = 0;
            for (index_t j = 0; j < s.keys; ++j) {
                double& x = dp[static_cast<std::size_t>(j)];
                x = one.p(j) == 0 ? 0
                                  : one.factor(j) * head_type::round(head_type::dot(d_o.data(), one.v(j), a.value_dim));
                delta += one.p(j) * x;
            }
            double* const dq = g.dq.row(s.query_batch, head, s.first_query + i);
            double* const dq_size = g.dq_magnitudes.row(s.query_batch, head, s.first_query + i);
            for (index_t j = 0; j < s.keys; ++j) {
                if (one.p(j) == 0)
                    continue;
                const double ds = head_type::round(one.p(j) * (dp[static_cast<std::size_t>(j)] - delta));
                const double slope =
                    static_cast<double>(a.scale) * static_cast<double>(a.score.derivative(one.raw(j), one.place(i, j)));
                const double change = slope * ds;
                const double size =
                    std::fabs(slope) * one.p(j) * (std::fabs(dp[static_cast<std::size_t>(j)]) + std::fabs(delta));
                double* const dk = g.dk.row(s.key_batch, one.kv_head(), s.first_key + j);
                double* const dk_size = g.dk_magnitudes.row(s.key_batch, one.kv_head(), s.first_key + j);
                double* const dv = g.dv.row(s.key_batch, one.kv_head(), s.first_key + j);
                for (index_t c = 0; c < a.head_dim; ++c) {
                    dq[c] += change * one.k(j)[c];
                    dk[c] += change * one.q(i)[c];
                    dq_size[c] += size * std::fabs(one.k(j)[c]);
                    dk_size[c] += size * std::fabs(one.q(i)[c]);
                }
                const double p = head_type::round(one.p(j) * one.factor(j));
                for (std::size_t c = 0; c < columns; ++c)
                    dv[c] += p * d_o[c];
                if (!g.d_bias.empty()) {
                    const std::lock_guard lock(sums);
                    g.d_bias[static_cast<std::size_t>(batch * bias.batch_stride + head * bias.head_stride +
                                                      i * bias.query_stride + j * bias.key_stride)] += ds;
                }
            }
            if (a.sinks != nullptr) {
                const std::lock_guard lock(sums);
                g.d_sinks[static_cast<std::size_t>(head)] -= one.sink_probability() * delta;
            }
        }
    };
    // A task for each head of K and V: nobody else adds to its gradients.
    detail::parallel_for(a.batch * a.kv_heads, [&](long_index_t task) {
        const auto batch = static_cast<index_t>(task / a.kv_heads), kv_head = static_cast<index_t>(task % a.kv_heads);
        for (index_t h = 0; h < group; ++h)
            one_head(batch, kv_head * group + h);
    });
    for (attention_array* x : {&g.dq, &g.dk, &g.dv})
        for (double& value : x->values)
            value = head_type::round(value);
    return g;
}

} // namespace tegula
