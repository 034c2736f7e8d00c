#pragma once

#include <tegula/core/convert.hpp>
#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/kernel/attention/sequence.hpp>
#include <tegula/reference/attention_rounding.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace tegula::detail {

/// One head of one sequence: its inputs in double, and the rows of its formula.
///
///   Variant      the kernel's
///   least_input  numbers of smaller magnitude count as zero in its products; see tegula::least_input(arch, kind)
template <class Variant, class Arguments>
class attention_head
{
public:
    attention_head(const Arguments& args, index_t batch, index_t head, double least_input)
        : args_(args), least_input_(least_input), batch_(batch), head_(head),
          kv_head_(head / (args.heads / args.kv_heads)), at_(attention_sequence::at(args, batch)),
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
        rounding_.scores.resize(keys);
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

    // Results for the row that compute_row was called for last:
    double lse() const { return lse_; }
    double p(index_t j) const { return p_[static_cast<std::size_t>(j)]; } ///< probability; 0 if hidden
    bool sees(index_t j) const { return rounding_.scores[static_cast<std::size_t>(j)].value != -HUGE_VAL; }
    double factor(index_t j) const { return kept_[static_cast<std::size_t>(j)]; } ///< dropout's factor: 0 if dropped
    double raw(index_t j) const { return raw_[static_cast<std::size_t>(j)]; }     ///< scale * (q . k)
    double sink_probability() const { return sink_p_; }
    const attention_row_rounding& rounding() const { return rounding_; } ///< scores of hidden keys are -inf

    struct sum_of_products
    {
        double value = 0, error = 0; ///< the sum, and the bound of a matrix unit's error
    };
    sum_of_products dot(const double* x, const double* y, index_t n) const
    {
        double sum = 0, magnitude = 0, lost = 0;
        for (index_t c = 0; c < n; ++c) {
            const double product = x[c] * y[c];
            sum += product;
            magnitude += std::fabs(product);
            if (std::fabs(x[c]) < least_input_ || std::fabs(y[c]) < least_input_)
                lost += std::fabs(product);
        }
        return {sum, magnitude * attention_row_rounding::sum_error(n) + lost};
    }
    /// 1 if a matrix unit flushes x to 0, else 0.
    double lost(double x) const { return std::fabs(x) < least_input_ ? 1 : 0; }
    /// The absolute error of a number stored as T in products, in addition to T's relative unit.
    template <class T>
    double smallest() const
    {
        return std::fmax(attention_row_rounding::least<T> / 2, least_input_);
    }

    /// Computes scores, probabilities and lse of query i.
    void compute_row(index_t i)
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const double sink = args_.sinks != nullptr ? args_.sinks[head_] : -infinity;
        double largest = sink;
        bool not_a_number = false;
        for (index_t j = 0; j < at_.keys; ++j) {
            double& score = p_[static_cast<std::size_t>(j)];
            score = visible(i, j) ? compute_score(i, j) : -infinity;
            if (score == -infinity)
                rounding_.scores[static_cast<std::size_t>(j)] = {score, 0};
            not_a_number = not_a_number || std::isnan(score);
            largest = std::fmax(largest, score);
        }
        rounding_.sink = sink;
        rounding_.end_row();
        double sum = not_a_number ? std::numeric_limits<double>::quiet_NaN() : 0;
        if (largest == -infinity && !not_a_number) { // the query sees no key
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
            x = x == -infinity ? 0 : std::exp(x - largest) / sum;
            if constexpr (Variant::dropout)
                kept_[static_cast<std::size_t>(j)] = mask_.keeps(i, j) ? static_cast<double>(mask_.factor()) : 0.0;
            else
                kept_[static_cast<std::size_t>(j)] = 1;
        }
    }

    /// Bound of the error of a kernel's derivative of score, whose argument is rounded.
    double derivative_error(index_t i, index_t j) const
    {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(args_.score)>, unchanged_score>) {
            return 0;
        } else {
            const double x = raw(j), error = rounding_.scores[static_cast<std::size_t>(j)].error;
            const auto of = [&](double y) { return static_cast<double>(args_.score.derivative(y, place(i, j))); };
            return std::fmax(std::fabs(of(x + error) - of(x)), std::fabs(of(x - error) - of(x))) + 0x1p-20;
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
        const sum_of_products product = dot(q(i), k(j), args_.head_dim);
        const double scale = static_cast<double>(args_.scale);
        const double raw = scale * product.value;
        raw_[static_cast<std::size_t>(j)] = raw;
        double score = static_cast<double>(args_.score(raw, place(i, j))), added = 0;
        if constexpr (Variant::bias == attention_bias::tensor)
            added = static_cast<double>(score_element(args_.bias, i, j));
        if constexpr (Variant::bias == attention_bias::alibi) {
            const double slope = args_.alibi.slopes[batch_ * args_.alibi.batch_stride + head_];
            added = -slope * std::fabs(static_cast<double>(i) + at_.shift - j);
        }
        double error = std::fabs(scale) * product.error + 0x1p-23 * std::fabs(raw);
        error = changed_error(raw, error, score, place(i, j));
        error += 0x1p-23 * (std::fabs(score) + 2 * std::fabs(added));
        score += added;
        rounding_.scores[static_cast<std::size_t>(j)] = {score, error + 0x1p-23 * std::fabs(score)};
        return score;
    }

    /// Bound of the error of the functor's score if its argument has the error `error`.
    double changed_error(double raw, double error, double score, const attention_place& at) const
    {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(args_.score)>, unchanged_score>) {
            return error;
        } else {
            const auto away = [&](double x) { return std::fabs(static_cast<double>(args_.score(x, at)) - score); };
            double own = 0x1p-22 * (1 + std::fabs(score));
            if constexpr (requires { args_.score.rounding_error(); })
                own = args_.score.rounding_error();
            return std::fmax(away(raw + error), away(raw - error)) + own;
        }
    }

    const Arguments& args_;
    double least_input_;
    index_t batch_, head_, kv_head_;
    attention_sequence at_;
    attention_dropout_mask mask_;
    std::vector<double> q_, k_, v_;
    std::vector<double> raw_, p_, kept_;
    attention_row_rounding rounding_;
    double lse_ = 0, sink_p_ = 0;
};

} // namespace tegula::detail
