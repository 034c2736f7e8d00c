// GEMM of large tiles on gfx950: straight into shared memory with 128 bytes of k a stage, 256 x 256 by eight waves and
// 256 x 128 by four, operands along the rows turned by the reads from shared memory. benchmark/beside_rivals.py compares both
// with Triton's. gemm_direct_fp8.cpp has fp8.
//
// targets: gfx950
// expect * [along_k_bf16]: /buffer_load_dwordx4 .* lds/ >= 8, wide_shared_load, wide_global_store, registers <= 256
// expect * [along_k_bf16]: loop_per_hundred <= 190, cluster_percent <= 100
// expect * [along_k_four_waves]: /buffer_load_dwordx4 .* lds/ >= 12, loop_per_hundred <= 190
// expect * [along_k_four_waves]: registers <= 332, loop_shared_percent <= 75, loop_global_percent <= 75
// expect * [along_rows]: /ds_read_b64_tr_b(16|8)/ >= 48, loop_per_hundred <= 230, /v_perm_b32/ == 0
// expect * [mixed]: /ds_read_b64_tr_b16/ >= 24, loop_per_hundred <= 210
// expect * [along_k]: /v_mfma_f32_16x16x/ >= 64
// expect * [along_k_bf16]: loop_shared_percent <= 75, loop_global_percent <= 50
//
// Nothing waits for the next tiles but the barrier of each step: with two stages until none is on its way, twice a round;
// with three for the tile that is read next. Reads that turn rows wait for none.
// expect * [direct_ping_pong]: loop_matrix == 128, loop_load_drains == 2, loop_matrix_percent >= 96
// expect * [direct_interleaved]: loop_matrix == 192, loop_load_drains == 0, loop_matrix_percent >= 93
// expect * [along_k_four_waves]: loop_matrix_percent >= 97

#include "test/device/gemm_words.hpp"

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) along_k_bf16(typename Kernel::arguments args)
{
    run<Kernel>(args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) along_k_four_waves(typename Kernel::arguments args)
{
    run<Kernel>(args);
}

void keep_all(const void** kept)
{
    using bf16 = gemm_tiles<target, bfloat16>;
    *kept++ =
        reinterpret_cast<const void*>(along_k_bf16<aligned_kernel<bf16::t256x256, float, k_contiguous, k_contiguous>>);
    *kept++ = reinterpret_cast<const void*>(
        along_k_four_waves<aligned_kernel<bf16::t256x128, float, k_contiguous, k_contiguous>>);
    *kept++ = keep_along_rows<bf16::t256x256, float>();
    *kept++ = keep_along_rows<bf16::t256x128, float>();
    *kept++ = keep_mixed_orders<bf16::t256x256, float>();
    *kept++ = keep_mixed_orders<bf16::t256x128, float>();
    *kept++ = keep_along_rows<gemm_tiles<target, std::int8_t>::t256x128, std::int32_t>();
}

} // namespace tegula
