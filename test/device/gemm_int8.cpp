// int8 GEMM, exact in 32-bit integers. Along rows a lane reads 8 bytes, so that its patch has 4 along k.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 sm_80 sm_90a
// expect gfx90a: /v_mfma_i32_16x16x16_?i8/ >= 8
// expect gfx942: /v_mfma_i32_16x16x32_?i8/ >= 8
// expect gfx950: /v_mfma_i32_16x16x64_?i8/ >= 4
// expect gfx1100 gfx1201: /v_wmma_i32_16x16x16_iu8/ >= 4
// expect sm_80 sm_90a: /mma\.sync\.aligned\.m16n8k32\.row\.col\.s32\.s8\.s8\.s32/ >= 8
// expect sm_80 sm_90a: /ldmatrix\.sync\.aligned\.m8n8\.x4\.shared/ >= 8
// expect * [along_k]: wide_global_load >= 2, wide_shared_load >= 4, wide_global_store >= 1
// expect * [along_rows]: /_load_(dwordx2|b64)|ld\.global\S*\.(v2\.[bu]32|[bu]64)/ >= 2
// expect * [along_rows]: wide_shared_load >= 4, wide_global_store >= 1
// expect * [element_wise]: wide_shared_load >= 2

#include "test/device/gemm_words.hpp"

namespace tegula {

using tiles = gemm_tiles<target, std::int8_t>;

void keep_all(const void** kept)
{
    *kept++ = keep_along_k<tiles::t128x128, std::int32_t>();
    *kept++ = keep_along_rows<tiles::t128x128, std::int32_t>();
    *kept++ = keep_element_wise<tiles::t32x128, std::int32_t>();
}

} // namespace tegula
