// GEMM on gfx1250: operands along k come past the registers, three stages deep, by asynchronous copies of 16 bytes a lane
// or, in the largest tile, whole tiles by the tensor data mover.
//
// targets: gfx1250
// expect * [bfloat16]: /v_wmma_f32_16x16x32_bf16/ >= 16, /v_wmma/ <= 512
// expect * [float8_e4m3_format]: /v_wmma_f32_16x16x128_fp8_fp8/ >= 4
// expect * [_aaiLi16]: /v_wmma_i32_16x16x64_iu8/ >= 8
// expect * [along_k]: /global_load_async_to_lds_b128|tensor_load_to_lds/ >= 4, wide_shared_load >= 4
// expect * [tensor_cluster_multistage]: /tensor_load_to_lds/ >= 4, /s_barrier_wait -3/ >= 2, /s_barrier_signal -3/ >= 2
// expect * [tensor_multistage]: /tensor_load_to_lds/ >= 4, /global_load_async/ == 0, /s_wait_tensorcnt/ >= 3

#include "test/device/gemm_words.hpp"

namespace tegula {

// t256x256 in clusters of two blocks, which ask together for the tiles of B.
using clustered =
    gemm_tile<target, default_atom<target, bfloat16>, 256, 256, 64, 2, 4, 3, 8, tensor_cluster_multistage<2>>;

void keep_all(const void** kept)
{
    *kept++ = keep_along_k<gemm_tiles<target, bfloat16>::t256x256, float>();
    *kept++ = keep_along_k<clustered, float>();
    *kept++ = keep_along_k<gemm_tiles<target, bfloat16>::t128x128, float>();
    *kept++ = keep_mixed_orders<gemm_tiles<target, bfloat16>::t128x128, bfloat16>();
    *kept++ = keep_along_k<gemm_tiles<target, float8_e4m3>::t128x128, float>();
    *kept++ = keep_along_k<gemm_tiles<target, std::int8_t>::t64x64, std::int32_t>();
}

} // namespace tegula
