#pragma once

/// Forms of attention by tcgen05, forward and backward, with every length of queries and of keys.

#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>

#include "test/grid/attention_backward_combinations.hpp"
#include "test/grid/attention_tensor_copies.hpp"
#include "test/kernel/attention/tcgen05/family.hpp"

namespace tegula::test {

template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias,
          attention_weights Weights, bool Capped>
void check_tcgen05_gradients(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    using score = std::conditional_t<Capped, capped_score, unchanged_score>;
    check_gradient_combination<
        tcgen05_backward_for<arch::sm_100a, T, HeadDim, ValueDim, attention_variant<Mask, Bias, Weights>, T, score>,
        score>(head_dim, value_dim);
}

} // namespace tegula::test
