#pragma once

// B in 4-bit integers with a scale for each 64 of them.

#include "one_product.hpp"

inline void int4_weights()
{
    using form = quantized<int4x2, 64>; // a scale for each 64 neighbours along k
    const auto bytes = filled<std::uint8_t>(k / 2 * n, 5, 0, 255);
    const auto scales = filled<float>(k / 64 * n, 6);
    const auto* weights = reinterpret_cast<const int4x2*>(bytes.data()); // [k / 2, n]: two neighbours along k a byte

    using mixed = quantized_weights_kernels<tile, form, float, epilogue::none>;
    mixed::arguments args{{m, n, k, 1, {a.data(), k, 1}, {weights, n, 1}, {c.data(), n, 1}, {}}, {scales.data(), n, 1}};
    const auto run = emulate(mixed::aligned<k_contiguous, row_contiguous>{}, args);

    std::vector<bfloat16> wide(k * n); // as the kernel makes them
    for (long_index_t i = 0; i < k; ++i)
        for (long_index_t j = 0; j < n; ++j)
            wide[i * n + j] =
                convert<bfloat16>(weights[i / 2 * n + j][static_cast<int>(i % 2)] * scales[i / 64 * n + j]);
    auto problem = one_product;
    problem.b = row_major(wide.data(), k, n);
    report("int4 weights", run, is_product(problem, row_major(c.data(), m, n)));
}
