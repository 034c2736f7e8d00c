// A mixture of experts: routing, sorting by expert, the products of the experts, the sum of their results.
//
// targets: gfx942
// full targets: gfx90a gfx1100 gfx1201 sm_80
// expect * [product_kernel]: matrix >= 8, wide_global_load >= 2, wide_shared_load >= 2, wide_global_store >= 1
// expect * [product_kernel]: half_wide_global_store == 0
// expect gfx942 clang22 [product_kernel]: loop_matrix_percent >= 41
// expect gfx90a clang22 [product_kernel]: loop_matrix_percent >= 61
// expect * [sum_kernel]: wide_global_load >= 2, wide_global_store >= 1, half_wide_global_store == 0
// expect gfx90a gfx942 gfx1100 gfx1201: /^flat_/ == 0

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/kernel/moe/layer.hpp>

using namespace tegula;
using target = arch::TEGULA_TEST_TARGET;
using kernels = moe_kernels<prologue_tiles<target, bfloat16>::large, false, moe_arguments<bfloat16, bfloat16>>;
using products = expert_gemm<kernels::first::aligned<operand_order::k_contiguous, operand_order::row_contiguous>>;
using route = moe_route<target, 1024>;
using sort_by_expert = moe_sort<target>;
using combine = moe_combine<target, bfloat16, 8>;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) product_kernel(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) list_kernel(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) sum_kernel(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template __global__ void product_kernel<products>(products::arguments);
template __global__ void list_kernel<route>(route::arguments);
template __global__ void list_kernel<sort_by_expert>(sort_by_expert::arguments);
template __global__ void sum_kernel<combine>(combine::arguments);
