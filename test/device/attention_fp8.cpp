// Attention of 8-bit inputs with scales, heads of 128 columns.
//
// targets: gfx942
// full targets: gfx950 gfx1201 gfx1250 sm_89 sm_90a
// expect gfx942 gfx950 gfx1201 gfx1250: wide_global_load >= 2, wide_shared_load >= 4
// expect gfx942: /v_mfma_f32_32x32x16_fp8_fp8/ >= 16
// expect gfx942 gfx950 gfx1201 gfx1250: /v_cvt_pk_fp8_f32/ == 16, /v_med3_f32/ == 0
// expect gfx1201: /v_wmma_f32_16x16x16_fp8_fp8/ >= 16
// expect sm_89: /mma\.sync\.aligned\.m16n8k32\.row\.col\.f32\.e4m3\.e4m3\.f32/ >= 64
// expect sm_89: /cvt\.rn\.satfinite\.e4m3x2\.f32/ >= 16
// expect sm_90a: sass_issue_percent <= 224, sass_shared_percent <= 132

#include "test/device/attention_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using tile = attention_tile_for<target, e4m3, 128>;
    *kept++ =
        reinterpret_cast<const void*>(banded<attention_kernel<tile, half, attention_variant<attention_mask::band>>>);
}

} // namespace tegula
