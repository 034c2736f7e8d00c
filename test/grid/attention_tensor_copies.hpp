#pragma once

/// Forms of attention by tensor copies with every length of queries and of keys. The cache is contiguous and heads are apart
/// there, and there are no block lists.

#include "test/grid/attention_combinations.hpp"

namespace tegula::test {

/// Family  of test/kernel/attention/*/family.hpp
template <class Family>
struct tensor_copy_combinations
{
    template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias,
              attention_weights Weights, bool Capped>
    static void check(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
    {
        using score = std::conditional_t<Capped, soft_cap<typename Family::target>, unchanged_score>;
        check_combination<
            typename Family::template kernel<T, HeadDim, ValueDim, attention_variant<Mask, Bias, Weights>, T, score>>(
            head_dim, value_dim);
    }
};

} // namespace tegula::test
