#pragma once

// A norm with what is fused with it.

#include "rows.hpp"

inline status normalize_rows(emulated_device& device, double& worst)
{
    const long_index_t rows = 5, length = 96;
    const std::vector<float> x = numbers(rows * length, 1), weight = numbers(length, 2);
    std::vector<float> residual = numbers(rows * length, 3), scale(rows);
    std::vector<std::int8_t> y(rows * length);

    // The residual becomes x + residual; y is its RMS norm times the weights, in int8 with a scale for each row.
    norm_arguments<float, std::int8_t> a;
    a.x = make_tensor_argument(x.data(), {rows, length});
    a.y = make_tensor_argument(y.data(), {rows, length});
    a.residual = make_tensor_argument<const float>(residual.data(), {rows, length});
    a.sum = make_tensor_argument(residual.data(), {rows, length});
    a.weight = make_tensor_argument(weight.data(), {length});
    a.scale = scale.data();
    const status s = launch(device, norm_kernels<tiles, norm_kind::rms>{}, a);

    const row_of_doubles row(residual.begin(), residual.begin() + length), w(weight.begin(), weight.end());
    const row_of_doubles exact = reference_norm(norm_kind::rms, row, w, {}, 1e-5);
    for (std::size_t i = 0; i < exact.size(); ++i)
        worst = std::fmax(worst, std::fabs(y[i] * scale[0] - exact[i]) / (127 * scale[0]));
    return s;
}
