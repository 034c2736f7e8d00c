#pragma once

// 8-bit floats with a scale for each block of 128.

#include "one_product.hpp"

inline void block_scaled()
{
    const auto x = filled<fp8>(m * k, 7), y = filled<fp8>(k * n, 8);
    const long_index_t groups = (k + 127) / 128;
    const auto x_scales = filled<float>(m * groups, 9), y_scales = filled<float>(groups, 10); // n is below 128

    using scaled = block_scaled_kernels<block_scaled_tiles<target, fp8>::t64x64, float, epilogue::none>;
    scaled::arguments args{{m, n, k, 1, {x.data(), k, 1}, {y.data(), n, 1}, {c.data(), n, 1}, {}}};
    args.a_scales = {x_scales.data(), groups, 1};
    args.b_scales = {y_scales.data(), 1, 1};
    const auto run = emulate(scaled::aligned<k_contiguous, row_contiguous>{}, args);

    std::vector<double> wide_x(m * k), wide_y(k * n);
    for (long_index_t i = 0; i < m * k; ++i)
        wide_x[i] = static_cast<double>(x[i]) * x_scales[i / k * groups + i % k / 128];
    for (long_index_t i = 0; i < k * n; ++i)
        wide_y[i] = static_cast<double>(y[i]) * y_scales[i / n / 128];
    const reference_gemm_problem<double, double> problem{
        m, n, k, 1, row_major(wide_x.data(), m, k), row_major(wide_y.data(), k, n)};
    report("block-scaled fp8", run, is_product(problem, row_major(c.data(), m, n)));
}
