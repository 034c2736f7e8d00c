// bf16 GEMM, both operands along k or along rows; gemm_bf16_mixed.cpp has other orders. A lane finishes 4 neighbouring columns
// of an f32 result, 16 bytes.
//
// targets: gfx942 sm_80
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_90a
// expect gfx90a gfx942: /v_mfma_f32_16x16x16_?bf16/ >= 8
// expect gfx950: /v_mfma_f32_16x16x32_bf16/ >= 4, /v_mfma/ <= 128, /v_mfma_f32_16x16x16/ == 0
// expect gfx1100 gfx1201: /v_wmma_f32_16x16x16_bf16/ >= 4
// expect sm_80 sm_90a: /mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32/ >= 8
// expect * [along_k]: wide_global_load >= 2, wide_shared_load >= 4, wide_shared_store >= 2, wide_global_store >= 1
// expect * [along_rows]: wide_global_load >= 2, wide_shared_load >= 4, wide_global_store >= 1
// expect sm_80 sm_90a [along_k]: /ldmatrix\.sync\.aligned\.m8n8\.x4\.shared/ >= 12
// expect sm_80 sm_90a [along_rows]: /ldmatrix\.sync\.aligned\.m8n8\.x4\.trans/ >= 12
// expect sm_80 [along_k ELi128ELi128ELi32E]: sass_issue_percent <= 36, sass_shared_percent <= 107
// expect sm_80 [along_k ELi64ELi64ELi32E]: sass_issue_percent <= 52, sass_shared_percent <= 161
// expect sm_80 [along_rows]: sass_issue_percent <= 39, sass_shared_percent <= 107
// expect sm_90a [along_k ELi128ELi128ELi32E]: sass_issue_percent <= 72, sass_shared_percent <= 211
// expect sm_90a [along_k ELi64ELi64ELi32E]: sass_issue_percent <= 105, sass_shared_percent <= 321
// expect sm_90a [along_rows]: sass_issue_percent <= 76, sass_shared_percent <= 211

#include "test/device/gemm_words.hpp"

namespace tegula {

using tiles = gemm_tiles<target, bfloat16>;

void keep_all(const void** kept)
{
    *kept++ = keep_along_k<tiles::t128x128, float>();
    *kept++ = keep_along_rows<tiles::t128x128, float>();
    *kept++ = keep_along_k<tiles::t64x64, float>();
}

} // namespace tegula
