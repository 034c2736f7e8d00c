// Attention forward in f16. For 100 matrix instructions at 128 columns Triton 3.9's loop has 839 in bf16 on gfx942 and
// 1310 on gfx1201.
//
// targets: gfx1250 sm_80
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 sm_89 sm_90a sm_100a sm_120a
// expect *: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 4
// expect gfx90a gfx942: /v_mfma_f32_32x32x8_?f16/ >= 32
// expect gfx950: /v_mfma_f32_32x32x16_f16/ >= 16
// expect gfx1100 gfx1201: /v_wmma_f32_16x16x16_f16/ >= 32
// expect gfx1250: /v_wmma_f32_16x16x32_f16/ >= 16
// expect gfx942 [banded]: loop_matrix_percent >= 63
// expect gfx1201 [banded]: loop_per_hundred <= 690
// expect sm_80 sm_89 sm_90a sm_100a sm_120a: /mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32/ >= 64

#include "test/device/attention_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    *kept++ = keep_banded<half, 128>();
    *kept++ = keep_plain<half, 64>();
}

} // namespace tegula
