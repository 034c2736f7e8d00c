#pragma once

// The gradients of a norm.

#include "rows.hpp"

inline status differentiate(emulated_device& device, double& worst)
{
    const long_index_t rows = 40, length = 64;
    const std::vector<float> x = numbers(rows * length, 1), weight = numbers(length, 2), dy = numbers(rows * length, 3);
    std::vector<float> y(rows * length), dx(rows * length), mean(rows), inverse_deviation(rows), dweight(length);

    norm_arguments<float> forward;
    forward.x = make_tensor_argument(x.data(), {rows, length});
    forward.y = make_tensor_argument(y.data(), {rows, length});
    forward.weight = make_tensor_argument(weight.data(), {length});
    forward.mean = mean.data();
    forward.inverse_deviation = inverse_deviation.data();
    if (status s = launch(device, norm_kernels<tiles, norm_kind::layer>{}, forward); !s)
        return s;

    norm_backward_arguments<float> backward;
    backward.dy = make_tensor_argument(dy.data(), {rows, length});
    backward.x = forward.x;
    backward.dx = make_tensor_argument(dx.data(), {rows, length});
    backward.weight = forward.weight;
    backward.mean = mean.data();
    backward.inverse_deviation = inverse_deviation.data();
    backward.dweight = dweight.data();
    std::vector<float> workspace(norm_workspace_size(backward));
    backward.workspace = workspace.data();
    const status s = launch(device, norm_backward_kernels<tiles, strip_tile_for<target>, norm_kind::layer>{}, backward);

    const row_of_doubles row(x.begin(), x.begin() + length), w(weight.begin(), weight.end());
    const reference_norm_gradients exact(norm_kind::layer, row, w, row_of_doubles(dy.begin(), dy.begin() + length),
                                         1e-5);
    for (std::size_t i = 0; i < exact.dx.size(); ++i)
        worst = std::fmax(worst, std::fabs(dx[i] - exact.dx[i]) * 1e3);
    return s;
}
