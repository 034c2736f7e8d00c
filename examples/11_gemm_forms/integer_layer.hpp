#pragma once

// A layer of int8: sums of 32 bits, scaled to floats, bias and gelu, and the result quantised to int8 again.

#include "one_product.hpp"

#include <cmath>

inline void integer_layer()
{
    const auto x = filled<std::int8_t>(m * k, 5, -127, 127), w = filled<std::int8_t>(k * n, 6, -127, 127);
    const auto bias = filled<float>(n, 7);
    const std::vector scale{1e-4f}, step{0.02f}; // of a product, and of the result
    std::vector<std::int8_t> y(m * n);

    using namespace epilogue;
    const auto parts =
        make_as_float(scale_tensor<>{scale.data()}, make_linear<float, float>(1, 0, {}, bias.data(), activation::gelu),
                      scale_tensor<scaling::divide>{step.data()}); // y = int8 of gelu(scale x w + bias) / step
    using int8_tile = gemm_tiles<target, std::int8_t>::t64x64;
    using int8_layer = gemm_kernels<int8_tile, std::int8_t, std::remove_const_t<decltype(parts)>>;
    const int8_layer::arguments args{m, n, k, 1, {x.data(), k, 1}, {w.data(), n, 1}, {y.data(), n, 1}, parts};
    const auto run = emulate(int8_layer::aligned<k_contiguous, row_contiguous>{}, args);

    bool right = true;
    for (long_index_t i = 0; i < m; ++i)
        for (long_index_t j = 0; j < n; ++j) {
            long sum = 0;
            for (long_index_t l = 0; l < k; ++l)
                sum += x[i * k + l] * w[l * n + j];
            const double z = static_cast<double>(sum) * scale[0] + bias[j];
            const double exact = std::fmin(z / 2 * std::erfc(-z / std::sqrt(2)) / step[0], 127.0);
            right = right && std::fabs(y[i * n + j] - exact) < 0.51; // rounded to nearest
        }
    report("layer of int8", run, right);
}
