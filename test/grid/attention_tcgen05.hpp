#pragma once

/// Forms of attention by tcgen05, forward and backward, with every length of queries and of keys. The cache is contiguous
/// and heads are apart there, and there are no block lists.

#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>
#include <tegula/kernel/attention/tcgen05/kernel.hpp>

#include "test/grid/attention_backward_combinations.hpp"
#include "test/grid/attention_combinations.hpp"

namespace tegula::test {

template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias, bool Dropped,
          bool Capped>
void check_tcgen05_attention(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    using target = arch::sm_100a;
    using score = std::conditional_t<Capped, soft_cap<target>, unchanged_score>;
    using variant = attention_variant<Mask, Bias, Dropped>;
    using tile = tcgen05_attention_tile_for<target, T, HeadDim, ValueDim, tcgen05_exponentials, variant, score>;
    check_combination<tcgen05_attention<tile, T, variant, score>>(head_dim, value_dim);
}

template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias, bool Dropped,
          bool Capped>
void check_tcgen05_gradients(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    using score = std::conditional_t<Capped, capped_score, unchanged_score>;
    check_gradient_combination<
        tcgen05_backward_for<arch::sm_100a, T, HeadDim, ValueDim, attention_variant<Mask, Bias, Dropped>, T, score>,
        score>(head_dim, value_dim);
}

} // namespace tegula::test
