// tf32 GEMM where there is an instruction.
//
// full targets: gfx942 sm_80
// expect gfx942: /v_mfma_f32_16x16x8_?xf32/ >= 8
// expect sm_80: /mma\.sync\.aligned\.m16n8k8\.row\.col\.f32\.tf32\.tf32\.f32/ >= 8
// expect sm_80: /ldmatrix\.sync\.aligned\.m8n8\.x4\.shared/ >= 8
// expect *: wide_global_load >= 1, wide_shared_load >= 2, wide_global_store >= 1

#include "test/device/gemm_words.hpp"

namespace tegula {

using tiles = gemm_tiles<target, tfloat32>;

void keep_all(const void** kept)
{
    *kept++ = keep_along_k<tiles::t128x128, float>();
    *kept++ = keep_along_rows<tiles::t64x64, float>();
}

} // namespace tegula
