#pragma once

// SwiGLU: two weights, silu of one product times the other.

#include "one_product.hpp"

#include <tegula/kernel/gemm/forms/prologue.hpp>

#include <cmath>

inline void gated_product()
{
    const bfloat16 *gate = b.data(), *up = gate + k * n; // [k, n] each

    using swiglu = prologue_kernels<tile, strided_rows<bfloat16>, gated_rows<bfloat16>, float, epilogue::none>;
    swiglu::arguments args{m, n, k, 1};
    args.a = {a.data(), k, 1};
    args.b = {{gate, 1, n}, {up, 1, n}, activation::silu};
    args.c = {c.data(), n, 1};
    const auto run = emulate(swiglu::aligned<k_contiguous, row_contiguous>{}, args);

    const auto sum = [&](const bfloat16* w, long_index_t i, long_index_t j) {
        double s = 0;
        for (long_index_t x = 0; x < k; ++x)
            s += static_cast<double>(a[i * k + x]) * static_cast<double>(w[x * n + j]);
        return s;
    };
    bool right = true;
    for (long_index_t i = 0; i < m; ++i)
        for (long_index_t j = 0; j < n; ++j) {
            const double g = sum(gate, i, j), exact = g / (1 + std::exp(-g)) * sum(up, i, j);
            right = right && std::fabs(static_cast<double>(c[i * n + j]) - exact) < 1e-3;
        }
    report("gated product", run, right);
}
