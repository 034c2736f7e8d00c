#pragma once

/// The formulas of attention, forward and backward, element by element.

#include <tegula/attention.hpp>

#include "test/gpu/formula.hpp"

namespace tegula::test {

/// Scores and probabilities of arguments in double, with what a kernel may be off them.
///
/// Bounds are of first order, times 1.5. A score is off by gamma_n of its terms' magnitudes (gemm_error_bound). A
/// probability is off by as much in relation to it, by the rounding of exp2 and its argument, and by the rounding to T
/// before it is multiplied.
template <class T, class O, class Variant = attention_variant<>, class Score = unchanged_score>
struct attention_scores
{
    static constexpr bool has_functor = !std::is_same_v<Score, unchanged_score>;

    attention_arguments<T, O, Score> a;
    double unit = float_truncation_unit; ///< of sums of products
    double score_error = 0;              ///< of the functor, in float

    struct place
    {
        long_index_t batch;
        index_t head, row, column;
    };
    struct number
    {
        double value, error;
    };

    template <class U>
    static TEGULA_HOST_DEVICE const U* row(const attention_tensor<U>& x, long_index_t batch, index_t head, index_t i)
    {
        return x.data + batch * x.batch_stride + head * x.head_stride + i * x.row_stride;
    }
    /// The place of element i in a tensor [batch, heads, rows, columns].
    static TEGULA_HOST_DEVICE place place_of(long_index_t i, index_t heads, index_t rows, index_t columns)
    {
        const long_index_t r = i / columns, h = r / rows;
        return {h / heads, static_cast<index_t>(h % heads), static_cast<index_t>(r % rows),
                static_cast<index_t>(i % columns)};
    }
    TEGULA_HOST_DEVICE index_t kv_head(index_t head) const { return head / (a.heads / a.kv_heads); }

    TEGULA_HOST_DEVICE index_t queries(long_index_t batch) const
    {
        const index_t* const offsets = a.lengths.query_offsets;
        return offsets == nullptr ? a.seq_q : offsets[batch + 1] - offsets[batch];
    }
    TEGULA_HOST_DEVICE index_t keys(long_index_t batch) const
    {
        const auto& lengths = a.lengths;
        if (lengths.key_lengths != nullptr)
            return lengths.key_lengths[batch];
        return lengths.key_offsets == nullptr ? a.seq_k : lengths.key_offsets[batch + 1] - lengths.key_offsets[batch];
    }
    /// A row of Q or O (or an element of lse), and one of K or V.
    template <class U>
    TEGULA_HOST_DEVICE U* query_row(U* data, long_index_t batch_stride, long_index_t head_stride,
                                    long_index_t row_stride, long_index_t batch, index_t head, index_t i) const
    {
        if (const index_t* const offsets = a.lengths.query_offsets)
            return data + head * head_stride + (offsets[batch] + i) * row_stride;
        return data + batch * batch_stride + head * head_stride + i * row_stride;
    }
    template <class U>
    TEGULA_HOST_DEVICE U* query_row(const attention_tensor<U>& x, long_index_t batch, index_t head, index_t i) const
    {
        return query_row(x.data, x.batch_stride, x.head_stride, x.row_stride, batch, head, i);
    }
    TEGULA_HOST_DEVICE const T* key_row(const attention_tensor<const T>& x, long_index_t batch, index_t head,
                                        index_t j) const
    {
        if constexpr (Variant::cache == attention_cache::paged) {
            const auto& pages = a.pages;
            const index_t page = pages.table[batch * pages.batch_stride + j / pages.page_length];
            return row(x, page, head, j % pages.page_length);
        } else if (const index_t* const offsets = a.lengths.key_offsets) {
            return row(x, 0, head, offsets[batch] + j);
        }
        return row(x, batch, head, j);
    }

    TEGULA_HOST_DEVICE index_t diagonal(long_index_t batch, index_t query) const
    {
        return a.band.diagonal == attention_diagonal::top_left ? query : query + keys(batch) - queries(batch);
    }
    TEGULA_HOST_DEVICE bool sees(long_index_t batch, index_t head, index_t query, index_t key) const
    {
        if (key >= keys(batch))
            return false;
        if constexpr (Variant::mask != attention_mask::none) {
            const index_t c = diagonal(batch, query);
            const bool low = a.band.left < 0 || key >= c - a.band.left,
                       high = a.band.right < 0 || key <= c + a.band.right;
            if (!(low && high) && key >= a.band.prefix)
                return false;
        }
        if constexpr (Variant::mask == attention_mask::boolean) {
            const auto& m = a.boolean;
            return m.data[batch * m.batch_stride + head * m.head_stride + query * m.query_stride +
                          key * m.key_stride] != 0;
        }
        if constexpr (Variant::mask == attention_mask::lists) {
            const auto& lists = a.lists;
            const long_index_t list =
                batch * lists.batch_stride + head * lists.head_stride + query / lists.query_length;
            for (index_t n = 0; n < lists.counts[list]; ++n)
                if (lists.blocks[list * lists.capacity + n] == key / lists.key_length)
                    return true;
            return false;
        }
        return true;
    }
    /// The factor by which dropout multiplies a probability.
    TEGULA_HOST_DEVICE double kept([[maybe_unused]] long_index_t batch, [[maybe_unused]] index_t head,
                                   [[maybe_unused]] index_t query, [[maybe_unused]] index_t key) const
    {
        if constexpr (Variant::dropout) {
            const attention_dropout_mask mask{a.dropout, static_cast<std::uint32_t>(batch * a.heads + head)};
            return mask.keeps(query, key) ? 65536.0 / (65536.0 - a.dropout.threshold) : 0;
        } else {
            return 1;
        }
    }
    TEGULA_HOST_DEVICE double sum_error(index_t terms) const { return (terms + 4) * unit; }
    /// The factor of inputs of 8 bits.
    static TEGULA_HOST_DEVICE double scale_of(const attention_scale& s, long_index_t batch, index_t head, index_t i)
    {
        if (s.data == nullptr)
            return 1;
        const index_t block = s.block_rows == 0 ? 0 : i / s.block_rows;
        return static_cast<double>(s.data[batch * s.batch_stride + head * s.head_stride + block * s.block_stride]);
    }

    /// The scaled product, which the functor gets.
    TEGULA_HOST_DEVICE number scaled(long_index_t batch, index_t head, index_t query, index_t key) const
    {
        const T* const x = query_row(a.q, batch, head, query);
        const T* const y = key_row(a.k, batch, kv_head(head), key);
        double sum = 0, magnitude = 0;
        for (index_t c = 0; c < a.head_dim; ++c) {
            const double product = wide(x[c]) * wide(y[c]);
            sum += product;
            magnitude += std::fabs(product);
        }
        const double scale = static_cast<double>(a.scale) * scale_of(a.q_scale, batch, head, query) *
                             scale_of(a.k_scale, batch, kv_head(head), key);
        return {scale * sum, std::fabs(scale) * magnitude * sum_error(a.head_dim)};
    }
    TEGULA_HOST_DEVICE number score(long_index_t batch, index_t head, index_t query, index_t key) const
    {
        return changed(scaled(batch, head, query, key), batch, head, query, key);
    }
    /// The score of a scaled product.
    TEGULA_HOST_DEVICE number changed(const number& product, long_index_t batch, index_t head, index_t query,
                                      index_t key) const
    {
        auto [value, error] = product;
        if constexpr (has_functor) { // whose derivative is at most 1
            value = a.score(value, attention_place{static_cast<index_t>(batch), head, query, key});
            error += score_error;
        }
        double added = 0;
        if constexpr (Variant::bias == attention_bias::tensor)
            added = static_cast<double>(a.bias.data[batch * a.bias.batch_stride + head * a.bias.head_stride +
                                                    query * a.bias.query_stride + key * a.bias.key_stride]);
        if constexpr (Variant::bias == attention_bias::alibi)
            added = -static_cast<double>(a.alibi.slopes[batch * a.alibi.batch_stride + head]) *
                    std::fabs(static_cast<double>(diagonal(batch, query) - key));
        return {value + added, error + (std::fabs(value) + 2 * std::fabs(added)) * 0x1p-23};
    }
    /// The functor's derivative where a kernel takes it, of a scaled product that is off; 1 without one.
    TEGULA_HOST_DEVICE number derivative([[maybe_unused]] const number& product, [[maybe_unused]] long_index_t batch,
                                         [[maybe_unused]] index_t head, [[maybe_unused]] index_t query,
                                         [[maybe_unused]] index_t key) const
    {
        if constexpr (has_functor) {
            const attention_place at{static_cast<index_t>(batch), head, query, key};
            const auto [x, off] = product;
            const double here = a.score.derivative(x, at);
            const double change = std::fmax(std::fabs(a.score.derivative(x + off, at) - here),
                                            std::fabs(a.score.derivative(x - off, at) - here));
            return {here, change + 0x1p-20}; // by soft_cap's tanh, as score_error
        } else {
            return {1, 0};
        }
    }
};

/// O, and behind its elements lse: all keys of a query, twice. A query that sees nothing has zeros and an lse of
/// -infinity, here `nothing`; places past a sequence's queries are 0.
template <class T, class O, class Variant = attention_variant<>, class Score = unchanged_score>
struct attention_output : attention_scores<T, O, Variant, Score>
{
    using base = attention_scores<T, O, Variant, Score>;
    static constexpr double nothing = -1e30;
    using base::a;

    /// Half of T's least number where the largest probability is at least 2^6 (online_softmax.hpp), of 8 bits.
    static constexpr double least_probability = sizeof(T) == 1 ? 0x1p-16 : 0;

    TEGULA_HOST_DEVICE long_index_t rows() const { return a.batch * a.heads * a.seq_q; }
    TEGULA_HOST_DEVICE long_index_t outputs() const { return rows() * a.value_dim; }
    TEGULA_HOST_DEVICE long_index_t count() const { return outputs() + rows(); }

    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        if (i < outputs()) {
            const auto at = base::place_of(i, a.heads, a.seq_q, a.value_dim);
            return at.row < base::queries(at.batch) ? wide(base::query_row(a.o, at.batch, at.head, at.row)[at.column])
                                                    : 0;
        }
        const auto at = base::place_of(i - outputs(), a.heads, a.seq_q, 1);
        if (at.row >= base::queries(at.batch))
            return 0;
        const double lse = static_cast<double>(
            *base::query_row(a.lse.data, a.lse.batch_stride, a.lse.head_stride, 1, at.batch, at.head, at.row));
        return lse == -HUGE_VAL ? nothing : lse;
    }
    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const bool of_lse = i >= outputs();
        const auto at = of_lse ? base::place_of(i - outputs(), a.heads, a.seq_q, 1)
                               : base::place_of(i, a.heads, a.seq_q, a.value_dim);
        if (at.row >= base::queries(at.batch))
            return {0, 1};
        const index_t keys = base::keys(at.batch);
        const auto sees = [&](index_t j) { return base::sees(at.batch, at.head, at.row, j); };
        const double sink = a.sinks == nullptr ? -HUGE_VAL : static_cast<double>(a.sinks[at.head]);
        double largest = sink, furthest = a.sinks == nullptr ? 0 : std::fabs(sink);
        for (index_t j = 0; j < keys; ++j)
            if (sees(j)) {
                const auto s = base::score(at.batch, at.head, at.row, j);
                largest = std::fmax(largest, s.value);
                furthest = std::fmax(furthest, std::fabs(s.value));
            }
        if (largest == -HUGE_VAL)
            return {of_lse ? nothing : 0, 1e-30};
        double sum = std::exp(sink - largest), error = sum * (4 + 4 * furthest) * 0x1p-23;
        double output = 0, output_error = 0, magnitude = 0;
        for (index_t j = 0; j < keys; ++j) {
            if (!sees(j))
                continue;
            const auto s = base::score(at.batch, at.head, at.row, j);
            const double p = std::exp(s.value - largest), off = s.error + (4 + 4 * furthest) * 0x1p-23;
            sum += p;
            error += p * off;
            if (of_lse)
                continue;
            const index_t kv_head = base::kv_head(at.head);
            const double v = wide(base::key_row(a.v, at.batch, kv_head, j)[at.column]) *
                             base::scale_of(a.v_scale, at.batch, kv_head, j) * base::kept(at.batch, at.head, at.row, j);
            output += p * v;
            magnitude += p * std::fabs(v);
            output_error += std::fabs(v) * (p * (off + rounding_of<T>)+least_probability);
        }
        const double sums = base::sum_error(a.seq_k), relative = error / sum + rounding_of<T> + sums;
        if (of_lse) {
            const double lse = largest + std::log(sum);
            return {lse, 1.5 * (error / sum + sums + 0x1p-22 * (1 + furthest + std::fabs(lse)))};
        }
        const double value = output / sum, bound = 1.5 * (output_error + magnitude * (relative + sums)) / sum;
        return {value, bound + tegula::detail::storing_error<O>(std::fabs(value) + bound)};
    }
};

enum class gradient { dq, dk, dv };

/// dQ, dK or dV from the O and lse that the forward pass has left. It takes every mask, bias, dropout, sinks, lengths by
/// offsets, and a functor whose derivative is in [0, 1]. Places past a sequence's rows are 0.
template <class T, gradient Which, class Variant = attention_variant<>, class Score = unchanged_score>
struct attention_gradient : attention_scores<T, T, Variant, Score>
{
    using base = attention_scores<T, T, Variant, Score>;
    using base::a;
    attention_tensor<const T> d_o;
    attention_tensor<T> result;

    TEGULA_HOST_DEVICE index_t heads() const { return Which == gradient::dq ? a.heads : a.kv_heads; }
    TEGULA_HOST_DEVICE index_t rows() const { return Which == gradient::dq ? a.seq_q : a.seq_k; }
    TEGULA_HOST_DEVICE index_t columns() const { return Which == gradient::dv ? a.value_dim : a.head_dim; }
    TEGULA_HOST_DEVICE long_index_t count() const { return a.batch * heads() * rows() * columns(); }
    TEGULA_HOST_DEVICE double found(long_index_t i) const
    {
        const auto at = base::place_of(i, heads(), rows(), columns());
        return at.row < own_rows(at.batch) ? wide(result_row(at)[at.column]) : 0;
    }

    TEGULA_HOST_DEVICE expected_value expected(long_index_t i) const
    {
        const auto at = base::place_of(i, heads(), rows(), columns());
        if (at.row >= own_rows(at.batch))
            return {0, 1};
        double sum = 0, bound = 0;
        index_t terms = 0;
        if constexpr (Which == gradient::dq) {
            for (index_t j = 0; j < base::keys(at.batch); ++j, ++terms)
                add(sum, bound, at.batch, at.head, at.row, j,
                    base::key_row(a.k, at.batch, base::kv_head(at.head), j)[at.column]);
        } else {
            const index_t shared = a.heads / a.kv_heads;
            for (index_t h = at.head * shared; h < (at.head + 1) * shared; ++h)
                for (index_t q = 0; q < base::queries(at.batch); ++q, ++terms)
                    add(sum, bound, at.batch, h, q, at.row,
                        base::query_row(Which == gradient::dv ? d_o : a.q, at.batch, h, q)[at.column]);
        }
        const double scale = Which == gradient::dv ? 1 : std::fabs(static_cast<double>(a.scale));
        const double value = (Which == gradient::dv ? 1 : static_cast<double>(a.scale)) * sum;
        bound *= 1.5 * scale * (1 + base::sum_error(terms));
        return {value, bound + tegula::detail::storing_error<T>(std::fabs(value) + bound)};
    }

private:
    TEGULA_HOST_DEVICE index_t own_rows(long_index_t batch) const
    {
        return Which == gradient::dq ? base::queries(batch) : base::keys(batch);
    }
    TEGULA_HOST_DEVICE const T* result_row(const typename base::place& at) const
    {
        if constexpr (Which == gradient::dq)
            return base::query_row(result, at.batch, at.head, at.row);
        else
            return base::key_row({result.data, result.batch_stride, result.head_stride, result.row_stride}, at.batch,
                                 at.head, at.row);
    }
    /// The term of query and key: P for dV, else dS, times `factor`.
    TEGULA_HOST_DEVICE void add(double& sum, double& bound, long_index_t batch, index_t head, index_t query,
                                index_t key, T factor) const
    {
        if (!base::sees(batch, head, query, key))
            return;
        const double x = wide(factor);
        const auto product = base::scaled(batch, head, query, key); // once: it takes longest
        const auto s = base::changed(product, batch, head, query, key);
        const auto lse = static_cast<double>(
            *base::query_row(a.lse.data, a.lse.batch_stride, a.lse.head_stride, 1, batch, head, query));
        const double p = std::exp(s.value - lse);
        const double off = s.error + (4 + 4 * (std::fabs(s.value) + std::fabs(lse))) * 0x1p-23;
        const double sums = base::sum_error(Which == gradient::dq ? a.seq_k : a.seq_q * (a.heads / a.kv_heads));
        const double kept = base::kept(batch, head, query, key);
        if constexpr (Which == gradient::dv) {
            sum += p * kept * x;
            bound += p * kept * std::fabs(x) * (off + rounding_of<T> + sums);
        } else {
            const T* const o = base::query_row(a.o, batch, head, query);
            const T* const d = base::query_row(d_o, batch, head, query);
            const T* const v = base::key_row(a.v, batch, base::kv_head(head), key);
            double difference = 0, magnitude = 0;
            for (index_t c = 0; c < a.value_dim; ++c) {
                const double y = wide(d[c]);
                difference += y * (kept * wide(v[c]) - wide(o[c]));
                magnitude += std::fabs(y) * (kept * std::fabs(wide(v[c])) + std::fabs(wide(o[c])));
            }
            const auto slope = base::derivative(product, batch, head, query, key);
            sum += p * difference * slope.value * x;
            bound += std::fabs(x) * p *
                     (std::fabs(difference) * (slope.value * (off + rounding_of<T> + sums) + slope.error) +
                      slope.value * magnitude * base::sum_error(a.value_dim));
        }
    }
};

} // namespace tegula::test
