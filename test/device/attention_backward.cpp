// Attention backward in f16 and bf16: the kernels of dK and dV, together or one each, and of dQ, with and without a band,
// to the largest head dims, and what they share.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a sm_100a sm_120a
// expect * [keys]: wide_global_load >= 2, wide_shared_load >= 4
// expect * [queries]: wide_global_load >= 2, wide_shared_load >= 4
// expect gfx90a gfx942 gfx1100 gfx1201 [keys]: wide_global_store >= 1
// expect gfx90a gfx942 [keys]: /v_mfma_f32_(16x16x16|32x32x8)_?b?f16/ >= 8
// expect gfx950 [keys]: /v_mfma_f32_(16x16x32|32x32x16)_b?f16/ >= 8, wide_global_store >= 1
// expect gfx1100 gfx1201 [keys]: /v_wmma_f32_16x16x16_b?f16/ >= 4
// expect gfx1250 [keys]: /v_wmma_f32_16x16x32_b?f16/ >= 8
// expect sm_80 sm_89 sm_90a sm_100a sm_120a [keys]: /mma\.sync\.aligned\.m16n8k16/ >= 8, /ldmatrix\.sync\.aligned\.m8n8\.x4\.trans/ >= 4
// No round divides integers.
// expect gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 [keys]: loop_divisions == 0
// expect gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 [queries]: loop_divisions == 0
// expect sm_80 sm_89 sm_90a sm_100a sm_120a: sass_loop_divisions == 0
// expect sm_90a [keys half]: sass_issue_percent <= 122, sass_shared_percent <= 251
// expect sm_90a [keys bfloat16]: sass_issue_percent <= 104, sass_shared_percent <= 307
// expect sm_90a [queries half]: sass_issue_percent <= 112, sass_shared_percent <= 268
// expect sm_90a [queries bfloat16]: sass_issue_percent <= 80, sass_shared_percent <= 305
// expect sm_100a [keys half]: sass_issue_percent <= 222, sass_shared_percent <= 502
// expect sm_100a [queries half]: sass_issue_percent <= 196, sass_shared_percent <= 535
// expect sm_100a [keys ELi256ELi256E]: sass_issue_percent <= 171, sass_shared_percent <= 614
// expect sm_100a [queries ELi256ELi256E]: sass_issue_percent <= 127, sass_shared_percent <= 610
// expect sm_100a [keys ELi128ELi128E]: sass_issue_percent <= 186, sass_shared_percent <= 535
// expect sm_100a [queries ELi128ELi128E]: sass_issue_percent <= 142, sass_shared_percent <= 535

#include "test/device/attention_gradients.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using causal = attention_variant<attention_mask::band>;
    using plain = attention_backward_for<target, half, 64>;
    keep_gradients<plain>(kept);
    keep_gradients<attention_backward_for<target, bfloat16, 256, 256, causal>>(kept);
    keep_gradients<attention_backward_for<target, bfloat16, 128, 128, causal>>(kept);
    *kept++ = reinterpret_cast<const void*>(sums<plain::sums>);
    *kept++ = reinterpret_cast<const void*>(sinks<plain::sinks>);
}

} // namespace tegula
