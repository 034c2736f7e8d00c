#pragma once

#include <tegula/kernel/attention/warp_specialized/kernel.hpp>

namespace tegula::test {

/// Warp-specialised attention on sm_90a, for the cases of tensor_copies.hpp.
struct warp_specialized
{
    using target = arch::sm_90a;
    template <class T, index_t D, index_t ValueDim, class Variant, class O = T, class Score = unchanged_score>
    using kernel =
        warp_specialized_attention<warp_specialized_attention_tile_for<target, T, D, ValueDim, Variant, Score>, O,
                                   Variant, Score>;
    template <class T, index_t D, index_t ValueDim, class Variant>
    using kernel_of_any_length =
        warp_specialized_attention<warp_specialized_attention_tile_for<target, T, D, ValueDim, Variant>,
                                   std::conditional_t<sizeof(T) == 1, half, T>, Variant, unchanged_score,
                                   attention_sequences::of_any_length>;
};

} // namespace tegula::test
