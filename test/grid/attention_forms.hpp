#pragma once

#include <tegula/kernel/attention/variant.hpp>

/// Names of the choices of attention_variant, for lists of kernels.
namespace tegula::test::attention_forms {

using attention_bias::tensor, attention_bias::alibi;
using attention_mask::band, attention_mask::boolean, attention_mask::lists;
using attention_weights::all, attention_weights::dropped;
inline constexpr attention_mask every_key = attention_mask::none;
inline constexpr attention_bias no_bias = attention_bias::none;

} // namespace tegula::test::attention_forms
