#pragma once

// A function of one's own with broadcasting.

#include "shapes.hpp"

inline status add_bias(emulated_device& device, double& worst)
{
    const long_index_t batch = 3, channels = 20, columns = 32;
    const std::vector<float> x = whole_numbers(batch * channels * columns), bias = whole_numbers(channels);
    std::vector<float> y(x.size());

    const auto f = [](float v, float b) { return v + b > 0 ? v + b : 0.f; };
    auto a = make_elementwise_arguments(
        f, make_tensor_argument(y.data(), {batch, channels, columns}),
        make_tensor_argument(x.data(), {batch, channels, columns}),
        make_tensor_argument(bias.data(), {channels, 1})); // repeated along the batch and the columns
    const status s = launch(device, elementwise_kernels<target>{}, a);

    for (std::size_t i = 0; i < y.size(); ++i)
        worst = std::fmax(worst, std::fabs(y[i] - f(x[i], bias[i / 32 % 20])));
    return s;
}
