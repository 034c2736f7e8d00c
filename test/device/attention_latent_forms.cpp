// Attention of the latent form in f16: values of their own with a band, heads apart; and keys and values that share memory,
// packed heads of keys that lie together.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 sm_80 sm_89 sm_90a sm_120a
// expect *: matrix >= 32, wide_global_load >= 2, wide_shared_load >= 4
// expect gfx90a clang22 [banded]: loop_matrix_percent >= 67
// expect gfx90a clang22 [shares]: loop_matrix_percent >= 67
// expect gfx942 clang22 [banded]: loop_matrix_percent >= 48
// expect gfx942 clang22 [shares]: loop_matrix_percent >= 48
// expect gfx950 [banded]: loop_matrix_percent >= 28
// expect gfx950 [shares]: loop_matrix_percent >= 28

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/split/kernel.hpp>

namespace tegula {

void keep_all(const void** kept)
{
    using causal = attention_variant<attention_mask::band>;
    using own_values = attention_tile_for<target, half, latent_head_dim, latent_value_dim>;
    *kept++ = reinterpret_cast<const void*>(banded<attention_kernel<own_values, half, causal>>);
    using packed = attention_variant<attention_mask::none, attention_bias::none, attention_weights::all,
                                     attention_cache::contiguous, attention_heads::packed>;
    using latent = attention_split_kernel<latent_attention_tile_for<target, half>, half, packed>;
    *kept++ = reinterpret_cast<const void*>(shares<latent>);
}

} // namespace tegula
