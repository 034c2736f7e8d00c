// Attention of the latent form, 576 and 512 columns: packed heads over a paged cache, keys split.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_80 sm_89 sm_90a sm_100a sm_120a
// expect * [shares]: matrix >= 32, wide_global_load >= 2, wide_shared_load >= 4
// expect * [sum]: wide_global_load >= 1
// expect gfx90a gfx942 [shares]: /v_mfma_f32_16x16x16_?bf16/ >= 32
// expect gfx1100 gfx1201 [shares]: /v_wmma_f32_16x16x16_bf16/ >= 8
// expect sm_80 sm_89 sm_90a sm_100a sm_120a [shares]: /mma\.sync\.aligned\.m16n8k16/ >= 32
// expect gfx90a clang22 [shares]: loop_matrix_percent >= 67

#include "test/device/attention_words.hpp"

#include <tegula/kernel/attention/split/kernel.hpp>

namespace tegula {

void keep_all(const void** kept)
{
    using paged = attention_variant<attention_mask::none, attention_bias::none, attention_weights::all,
                                    attention_cache::paged, attention_heads::packed>;
    using latent = attention_split_kernel<latent_attention_tile_for<target, bfloat16>, bfloat16, paged>;
    *kept++ = reinterpret_cast<const void*>(shares<latent>);
    *kept++ = reinterpret_cast<const void*>(sum<latent::combine>);
}

} // namespace tegula
