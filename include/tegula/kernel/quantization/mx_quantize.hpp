#pragma once

#include <tegula/kernel/quantization/block_quantize.hpp>

namespace tegula {

/// Quantises rows to T, float8_e4m3, float8_e5m2, float6_e2m3, float6_e3m2 or float4_e2m1, by the rule of the Microscaling
/// formats (mx_scale, mx_element), for the target's products.
template <class Target, class T, class X, mx_rule Rule = mx_rule::floor>
using mx_quantize = block_quantize<Target, mx_format<T, Rule>, X>;

/// Quantises rows to NVFP4 with args.tensor_scale, for sm_100a, sm_103a and sm_120a.
template <class Target, class X>
using nvfp4_quantize = block_quantize<Target, nvfp4_format, X>;

} // namespace tegula
