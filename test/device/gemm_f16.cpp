// f16 GEMM with results in f16.
//
// full targets: gfx90a gfx942 gfx1100 gfx1201 sm_80
// expect gfx90a gfx942: /v_mfma_f32_16x16x16_?f16/ >= 8
// expect gfx1100 gfx1201: /v_wmma_f32_16x16x16_f16/ >= 4
// expect sm_80: /mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32/ >= 8
// expect *: wide_global_load >= 1, wide_shared_load >= 2, wide_global_store >= 1
// expect *: half_wide_global_store == 0

#include "test/device/gemm_words.hpp"

namespace tegula {

using tiles = gemm_tiles<target, half>;

void keep_all(const void** kept)
{
    *kept++ = keep_along_rows<tiles::t64x64, half>();
    *kept++ = keep_along_k<tiles::t32x128, half>();
}

} // namespace tegula
