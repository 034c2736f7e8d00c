// fp8 e4m3 GEMM where there is an instruction, in the target's own flavour.
//
// full targets: gfx942 gfx950 gfx1201 sm_89 sm_90a
// expect gfx942: /v_mfma_f32_16x16x32_fp8_fp8/ >= 8
// expect gfx942 clang22 [along_k]: loop_matrix_percent >= 46
// expect gfx942 clang22 [along_rows]: loop_matrix_percent >= 10
// expect gfx950 [along_k]: loop_matrix_percent >= 35
// expect gfx950 [along_rows]: loop_matrix_percent >= 9
// expect gfx950: /v_mfma_f32_16x16x128_f8f6f4/ >= 4
// expect gfx1201: /v_wmma_f32_16x16x16_fp8_fp8/ >= 4
// expect sm_89 sm_90a: /mma\.sync\.aligned\.m16n8k32\.row\.col\.f32\.e4m3\.e4m3\.f32/ >= 8
// expect sm_89 sm_90a: /ldmatrix\.sync\.aligned\.m8n8\.x4\.shared/ >= 8
// The sums of 128 of k, 64 or 32 of a lane, are added in the loop, in its last steps and behind it.
// expect sm_89 [along_k]: sass/^FADD/ >= 192
// expect sm_89 [along_rows]: sass/^FADD/ >= 96
// expect *: wide_global_load >= 1, wide_shared_load >= 2, wide_global_store >= 1

#include "test/device/gemm_words.hpp"

namespace tegula {

using element = std::conditional_t<std::is_same_v<target, arch::gfx942>, float8_e4m3_fnuz, float8_e4m3>;
using tiles = gemm_tiles<target, element>;

void keep_all(const void** kept)
{
    *kept++ = keep_along_k<tiles::t128x128, float>();
    *kept++ = keep_along_rows<tiles::t64x64, float>();
}

} // namespace tegula
