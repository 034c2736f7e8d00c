// Stream-K compiled for every target: several tiles a block, in a loop, without a spilled register.
//
// targets: gfx942 gfx1201 sm_80
// full targets: gfx90a gfx1100 sm_90a
// expect * [first_kernel]: matrix, wide_global_store
// expect gfx90a gfx942 gfx1100 gfx1201 [first_kernel]: wide_shared_load, wide_shared_store
// expect * [second_kernel]: matrix == 0, wide_global_load, shared_bytes == 0, registers <= 64

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/core/bfloat16.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

using namespace tegula;
using target = arch::TEGULA_TEST_TARGET;
using tile = gemm_tiles<target, bfloat16>::t128x128;
using aligned = gemm_kernel<tile, operand_order::k_contiguous, operand_order::row_contiguous, bfloat16,
                            epilogue::linear<bfloat16>, output_access::vectors>;
using element_wise = gemm_kernel<tile, operand_order::any, operand_order::any, bfloat16, epilogue::linear<bfloat16>,
                                 output_access::elements>;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) first_kernel(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) second_kernel(typename Kernel::arguments args)
{
    run_kernel<target>(reduce_partials<Kernel>{}, args);
}

template __global__ void first_kernel<stream_k_gemm<aligned>>(stream_k_gemm<aligned>::arguments);
template __global__ void first_kernel<stream_k_gemm<element_wise>>(stream_k_gemm<element_wise>::arguments);
template __global__ void second_kernel<stream_k_gemm<aligned>>(stream_k_gemm<aligned>::arguments);
template __global__ void second_kernel<stream_k_gemm<element_wise>>(stream_k_gemm<element_wise>::arguments);
