// The multistage GEMM and attention, which are written in warps' matrix instructions, on a target with tensor memory.
//
// full targets: sm_100a
// expect *: matrix >= 32, wide_global_load >= 2, wide_shared_load >= 4, registers <= 255
// expect * [along_k]: /mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32/ >= 32
// expect * [along_k]: /ldmatrix\.sync\.aligned\.m8n8\.x4\.shared/ >= 8
// expect * [plain]: /mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32/ >= 32

#include "test/device/attention_words.hpp"
#include "test/device/gemm_words.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    *kept++ = keep_along_k<gemm_tiles<target, bfloat16>::t64x64, bfloat16>();
    *kept++ = keep_plain<half, 64>();
}

} // namespace tegula
