// The targets that the code for others serves: one f16 kernel each.
//
// full targets: gfx908 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1200 sm_75 sm_86 sm_120a sm_121
// expect gfx908: /v_mfma_f32_16x16x16_?f16/ >= 8
// expect gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1200: /v_wmma_f32_16x16x16_f16/ >= 4
// expect sm_75: /mma\.sync\.aligned\.m16n8k8\.row\.col\.f32\.f16\.f16\.f32/ >= 8, /cp\.async/ == 0
// expect sm_86 sm_120a sm_121: /mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32/ >= 8, /cp\.async/ >= 2
// expect *: wide_global_load >= 2, wide_shared_load >= 2, wide_global_store >= 1

#include "test/device/gemm_words.hpp"

namespace tegula {

void keep_all(const void** kept) { *kept = keep_along_k<gemm_tiles<target, half>::t64x64, float>(); }

} // namespace tegula
