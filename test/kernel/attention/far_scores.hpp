#pragma once

/// Rows whose scores are far from 0: only -inf hides one. Their results are exact in double. The bound is therefore that of
/// probabilities in the inputs' type. attention_error_bound rounds scores, and says nothing of such rows.

#include "test/kernel/attention/harness.hpp"

#include <limits>

namespace tegula::test {

/// Runs the problem by check(data), and compares with the formula of exact scores.
template <class Kernel, class Check>
void check_exact_scores(const attention_data<Kernel>& data, const Check& check)
{
    using T = typename Kernel::element;
    check(data);
    const attention_result exact = reference_attention<typename Kernel::variant>(data.args);
    double largest = 0;
    for (const T& x : data.v)
        largest = std::fmax(largest, std::fabs(static_cast<double>(convert<float>(x))));
    const double unit = std::ldexp(1.0, -number_traits<T>::mantissa_bits);
    const auto compare = [](const char* name, const std::vector<double>& result, const std::vector<double>& right,
                            double absolute, double relative) {
        for (std::size_t i = 0; i < right.size(); ++i)
            if (const double bound = absolute + relative * std::fabs(right[i]);
                !(result[i] == right[i] || std::fabs(result[i] - right[i]) <= bound)) {
                INFO(name << " element " << i << ": " << result[i] << ", exactly " << right[i]);
                CHECK(false);
                return;
            }
    };
    compare("O", gather_attention(data.args.o, exact.o), exact.o.values, unit * largest, 0);
    compare("lse", gather_attention(data.args.lse, exact.lse), exact.lse.values, 0x1p-20, 0x1p-21);
}

/// Products of queries and keys of two sizes, about the powers of two at which the exponent's rule changes, and about
/// the largest float.
template <class Kernel, class Check>
void check_far_products(const Check& check)
{
    using T = typename Kernel::element;
    attention_data<Kernel> data(65, 200, 1, 1, 1);
    const auto product = 64.0f * static_cast<float>(data.args.head_dim); // of all queries and every other key
    std::fill(data.q.begin(), data.q.end(), convert<T>(8.0f));
    for (const float sign : {-1.0f, 1.0f})
        for (const float score : {700.0f, 3e3f, 6e6f, 1e9f, 2e38f}) {
            INFO("scores of " << sign * score);
            for (std::size_t i = 0; i < data.k.size(); ++i)
                data.k[i] =
                    convert<T>(sign * (i / static_cast<std::size_t>(data.args.k.row_stride) % 2 ? 8.0f : 12.0f));
            data.args.scale = score / product;
            check_exact_scores(data, check);
        }
}

/// A bias between -1e38 and 1e38 on scores of 0, and the lowest float that masks are made of. `data` has a bias, and may
/// have a mask; its queries become 0.
template <class Kernel, class Check>
void check_far_bias(attention_data<Kernel>& data, const Check& check)
{
    using T = typename Kernel::element;
    constexpr float infinity = std::numeric_limits<float>::infinity(), lowest = std::numeric_limits<float>::lowest();
    std::fill(data.q.begin(), data.q.end(), T{});
    auto& args = data.args;
    std::vector<float> bias;
    for (index_t i = 0; i < args.seq_q; ++i)
        for (index_t j = 0; j < args.seq_k; ++j) {
            const float rows[] = {-1e9f,
                                  lowest,
                                  -0x1p23f - static_cast<float>(j % 7),
                                  j == 5 ? -1e38f : lowest,
                                  j == 3 || j == 60 ? lowest : -infinity,
                                  j % 3 == 0 ? 1e30f : -1e30f,
                                  -5000 - 0.25f * static_cast<float>(j % 9),
                                  j > 70 ? 0.5f : -1e9f};
            bias.push_back(rows[i % 8]);
        }
    args.bias = {bias.data(), 0, 0, args.seq_k, 1};
    check_exact_scores(data, check);
}

/// Checks a far bias with a boolean mask inside a band, by a kernel of changed scores.
template <class Kernel, class Check>
void check_far_bias_and_mask(const Check& check)
{
    attention_data<Kernel> data(66, 130, 1, 1, 1, 56, 24);
    std::vector<unsigned char> mask;
    for (index_t i = 0; i < data.args.seq_q; ++i)
        for (index_t j = 0; j < data.args.seq_k; ++j)
            mask.push_back(i != 8 && i != 9 && (i + j) % 5 != 0);
    data.args.boolean = {mask.data(), 0, 0, data.args.seq_k, 1};
    data.args.band.right = 10;
    data.args.dropout = make_dropout(0, 1);
    check_far_bias(data, check);
}

} // namespace tegula::test
