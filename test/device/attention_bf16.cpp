// Attention forward in bf16, heads of 128 and of 256 columns.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a sm_120a
// expect *: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4
// expect gfx90a gfx942: /v_mfma_f32_32x32x8_?bf16/ >= 4
// expect gfx950: /v_mfma_f32_32x32x16_bf16/ >= 4, /v_cvt_pk_bf16_f32/ >= 16
// expect gfx1100 gfx1201: /v_wmma_f32_16x16x16_bf16/ >= 4
// expect sm_80 sm_89 sm_90a sm_120a: /mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32/ >= 64
// expect gfx942 [plain]: loop_matrix_percent >= 63
// expect gfx1201 [plain]: loop_per_hundred <= 680

#include "test/device/attention_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    *kept++ = keep_banded<bfloat16, 256>();
    *kept++ = keep_plain<bfloat16, 128>();
}

} // namespace tegula
