// These are not in gemm_direct_prologue.cpp: products of experts, plain and gated, 256 x 256 by eight waves, and gradients of
// filters, whose lanes find a pixel for each load.
//
// full targets: gfx950
// expect * [direct_]: /buffer_load_dwordx4 .* lds/ >= 8, /v_mfma_f32_16x16x/ >= 64
// expect * [direct_]: loop_shared_percent <= 75, loop_global_percent <= 75
// expect * [direct_interleaved]: loop_matrix == 192, loop_load_drains == 0
// expect * [direct_ping_pong]: loop_matrix == 128, loop_load_drains == 2, registers <= 256
// expect * [experts]: loop_matrix_percent >= 92
// expect * [along_k]: loop_matrix_percent >= 80
// expect * [Li2ELb0ELb0E]: loop_matrix_percent >= 56
// expect * [Li3ELb0ELb0E]: loop_matrix_percent >= 44

#include <tegula/kernel/convolution/product.hpp>
#include <tegula/kernel/moe/layer.hpp>

#include "test/device/gemm_words.hpp"

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) experts(typename Kernel::arguments args)
{
    run<Kernel>(args);
}

template <class Products>
const void* keep_experts()
{
    using kernel = expert_gemm<typename Products::template aligned<k_contiguous, row_contiguous>>;
    return reinterpret_cast<const void*>(experts<kernel>);
}

void keep_all(const void** kept)
{
    using bf16 = gemm_tiles<target, bfloat16>;
    using f16 = gemm_tiles<target, half>;
    using arguments = moe_arguments<bfloat16, bfloat16>;
    *kept++ = keep_experts<moe_kernels<bf16::t256x128, false, arguments>::first>();
    *kept++ = keep_experts<moe_kernels<bf16::t256x128, false, arguments>::second>();
    *kept++ = keep_experts<moe_kernels<bf16::t256x128, true, arguments>::first>();
    *kept++ = keep_experts<moe_kernels<bf16::t256x256, false, arguments>::first>();
    *kept++ = keep_experts<moe_kernels<bf16::t256x256, false, arguments>::second>();
    using enum convolution_direction;
    using pixels = convolution_kernels<forward, 2, f16::t256x256, half, epilogue::chain<epilogue::activate>>;
    *kept++ = reinterpret_cast<const void*>(along_k<pixels::aligned<k_contiguous, k_contiguous>>);
    using volumes = convolution_kernels<forward, 3, f16::t256x256, float, epilogue::none>;
    *kept++ = reinterpret_cast<const void*>(along_k<volumes::aligned<k_contiguous, k_contiguous>>);
    using filters = convolution_kernels<backward_weight, 2, f16::t256x128, half, epilogue::none>;
    *kept++ = reinterpret_cast<const void*>(along_rows<filters::aligned<row_contiguous, row_contiguous>>);
    using deep_filters = convolution_kernels<backward_weight, 3, f16::t256x128, float, epilogue::none>;
    *kept++ = reinterpret_cast<const void*>(along_rows<deep_filters::aligned<row_contiguous, row_contiguous>>);
}

} // namespace tegula
