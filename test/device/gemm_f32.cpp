// f32 GEMM: matrix instructions on CDNA, multiply-adds elsewhere.
//
// full targets: gfx90a gfx942 gfx1100 gfx1201 sm_80
// expect gfx90a gfx942: /v_mfma_f32_16x16x4_?f32/ >= 8
// expect gfx1100 gfx1201: /v_(dual_)?fmac_f32/ >= 32, matrix == 0
// expect sm_80: /fma\.rn\.f32/ >= 32, matrix == 0
// expect * [along]: wide_global_load >= 1, wide_shared_load >= 2, wide_global_store >= 1
// expect * [element_wise]: wide_shared_load >= 2

#include "test/device/gemm_words.hpp"

namespace tegula {

using tiles = gemm_tiles<target, float>;

void keep_all(const void** kept)
{
    *kept++ = keep_along_k<tiles::t128x128, float>();
    *kept++ = keep_along_rows<tiles::t64x64, float>();
    *kept++ = keep_element_wise<tiles::t32x128, float>();
}

} // namespace tegula
