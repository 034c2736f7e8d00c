#pragma once

// A loss with its gradient.

#include "rows.hpp"

inline status find_loss(emulated_device& device, double& worst)
{
    const long_index_t rows = 6, classes = 1000;
    std::vector<float> logits = numbers(rows * classes, 1), losses(rows), log_sum(rows);
    const std::vector<long_index_t> labels = {3, 999, 0, -100, 17, 500}; // -100: a row that is left out
    const row_of_doubles row(logits.begin(), logits.begin() + classes);

    cross_entropy_arguments<float> a;
    a.x = make_tensor_argument<const float>(logits.data(), {rows, classes});
    a.labels = labels.data();
    a.losses = losses.data();
    a.log_sum = log_sum.data();
    a.dx = make_tensor_argument(logits.data(), {rows, classes}); // in the logits' place
    if (status s = launch(device, cross_entropy_kernels<tiles>{}, a); !s)
        return s;
    const status s = launch(device, cross_entropy_backward_kernels<tiles>{}, a);

    worst = std::fmax(worst, std::fabs(losses[0] + reference_exponentials(row).logarithm_of(row[3])) * 1e3);
    return s;
}
