#pragma once

// The values of operands in formats with block scales, and the factor of their product.

#include "problem.hpp"

#include <tegula/host/block_quantized.hpp>

#include <vector>

namespace gemm_example {

using tegula::long_index_t;

/// The numbers that matrices of `rows` times k stand for once they are quantised along k, in place.
template <class Format>
tegula::status quantize(float* values, long_index_t batch, long_index_t rows, long_index_t row_stride, long_index_t k,
                        long_index_t k_stride)
{
    using element_type = typename Format::element_type;
    const auto at = [&](long_index_t row, long_index_t i) -> float& {
        return values[row / rows * rows * k + row % rows * row_stride + i * k_stride];
    };
    std::vector<float> all(static_cast<std::size_t>(batch * rows * k));
    for (long_index_t i = 0; i < batch * rows * k; ++i)
        all[static_cast<std::size_t>(i)] = at(i / k, i % k);
    tegula::block_quantized<element_type, typename Format::scale_type> quantized;
    tegula::status s;
    if constexpr (Format::has_tensor_scale)
        s = tegula::quantize_nvfp4(all, batch * rows, k, quantized);
    else
        s = tegula::quantize_mx<element_type>(all, batch * rows, k, quantized);
    for (long_index_t i = 0; s && i < batch * rows * k; ++i)
        at(i / k, i % k) = static_cast<float>(quantized.value(i / k, i % k));
    return s;
}

/// Gives the arguments of an NVFP4 product the scale of its tensors; the problem's epilogue, whose alpha takes the rest.
template <class Arguments>
auto set_tensor_scale(Arguments& args, problem p, float of_a, float of_b)
{
    const tegula::nvfp4_product_scale scale(of_a, of_b);
    args.tensor_scale = scale.tensor_scale;
    p.alpha *= scale.of_alpha;
    return make_arguments<float>(p).epilogue;
}

} // namespace gemm_example
