// bf16 GEMM, A along k and B along rows, and of any order. A lane finishes 8 neighbouring columns of a bf16 result, 16 bytes.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_80 sm_90a
// expect gfx90a gfx942: /v_mfma_f32_16x16x16_?bf16/ >= 8
// expect gfx950: /v_mfma_f32_16x16x32_bf16/ >= 4, /v_mfma/ <= 128, /v_mfma_f32_16x16x16/ == 0
// expect gfx1100 gfx1201: /v_wmma_f32_16x16x16_bf16/ >= 4
// expect sm_80 sm_90a: /mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32/ >= 8
// expect * [mixed]: wide_global_load >= 2, wide_shared_load >= 4
// expect * [mixed]: wide_global_store >= 1, half_wide_global_store == 0
// expect * [element_wise]: wide_shared_load >= 4

#include "test/device/gemm_words.hpp"

namespace tegula {

using tiles = gemm_tiles<target, bfloat16>;

void keep_all(const void** kept)
{
    *kept++ = keep_mixed_orders<tiles::t128x128, bfloat16>();
    *kept++ = keep_element_wise<tiles::t128x128, float>();
}

} // namespace tegula
