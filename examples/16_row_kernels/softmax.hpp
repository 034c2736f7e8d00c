#pragma once

// Softmax along any dimension, and the experts of tokens.

#include "rows.hpp"

inline status take_softmax(emulated_device& device, double& worst)
{
    const long_index_t rows = 7, columns = 30;
    const std::vector<float> x = numbers(rows * columns, 1);
    std::vector<float> y(rows * columns);

    // Along the first dimension; softmax_form::log_softmax gives the logarithms.
    softmax_arguments<float> a;
    a.x = make_tensor_argument(x.data(), {rows, columns});
    a.y = make_tensor_argument(y.data(), {rows, columns});
    a.axis = 0;
    const status s = launch(device, softmax_kernels<tiles, softmax_form::softmax>{}, a);

    for (long_index_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (long_index_t i = 0; i < rows; ++i)
            sum += y[i * columns + j];
        worst = std::fmax(worst, std::fabs(sum - 1) * 1e3);
    }
    return s;
}

inline status choose_experts(emulated_device& device, double& worst)
{
    const long_index_t tokens = 9, experts = 64;
    const index_t k = 4;
    const std::vector<float> scores = numbers(tokens * experts, 1);
    std::vector<float> weights(tokens * k);
    std::vector<long_index_t> chosen(tokens * k);

    topk_softmax_arguments<float> a;
    a.x = make_tensor_argument(scores.data(), {tokens, experts});
    a.k = k;
    a.weights = weights.data();
    a.indices = chosen.data();
    const status s = launch(device, topk_softmax_kernels<tiles>{}, a);

    const std::vector<long_index_t> order = reference_order(row_of_doubles(scores.begin(), scores.begin() + experts));
    for (index_t i = 0; i < k; ++i)
        worst = std::fmax(worst, chosen[i] == order[i] ? 0 : 1);
    return s;
}
