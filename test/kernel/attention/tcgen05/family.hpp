#pragma once

#include <tegula/kernel/attention/tcgen05/kernel.hpp>

namespace tegula::test {

/// Attention by tcgen05 on sm_100a, for the cases of tensor_copies.hpp.
template <class Exponentials>
struct by_tcgen05_with
{
    using target = arch::sm_100a;
    template <class T, index_t D, index_t ValueDim, class Variant, class O = T, class Score = unchanged_score>
    using kernel = tcgen05_attention<tcgen05_attention_tile_for<target, T, D, ValueDim, Exponentials, Variant, Score>,
                                     O, Variant, Score>;
    template <class T, index_t D, index_t ValueDim, class Variant>
    using kernel_of_any_length =
        tcgen05_attention<tcgen05_attention_tile_for<target, T, D, ValueDim, Exponentials, Variant>, T, Variant,
                          unchanged_score, attention_sequences::of_any_length>;
};
using by_tcgen05 = by_tcgen05_with<tcgen05_exponentials>;

} // namespace tegula::test
