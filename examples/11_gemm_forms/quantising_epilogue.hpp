#pragma once

// Scales, an activation and two results in the epilogue.

#include "one_product.hpp"

inline void quantising_epilogue()
{
    const auto rows = filled<float>(m, 3), columns = filled<float>(n, 4), scale = std::vector{0.25f};
    std::vector<float> d(m * n);
    std::vector<fp8> quantised(m * n);
    const matrix_argument<float> copy{d.data(), n, 1};

    using namespace epilogue;
    const auto parts = make_chain(scale_rows<>{rows.data()}, scale_columns<>{columns.data()}, // of A and of B
                                  activate{activation::relu}, make_store_copy(copy, m, 1),    // D = f32
                                  scale_tensor<scaling::divide>{scale.data()});               // C = fp8 of D / scale
    using quantising = gemm_kernels<tile, fp8, std::remove_const_t<decltype(parts)>>;
    const quantising::arguments args{m, n, k, 1, {a.data(), k, 1}, {b.data(), n, 1}, {quantised.data(), n, 1}, parts};
    const auto run = emulate(quantising::aligned<k_contiguous, row_contiguous>{}, args);

    bool right = true;
    for (std::size_t i = 0; i < d.size(); ++i)
        right = right && quantised[i].bits == convert<fp8>(d[i] / scale[0]).bits;
    report("quantising epilogue", run, right);
}
