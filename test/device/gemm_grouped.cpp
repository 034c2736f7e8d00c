// Grouped GEMM compiled for every target: a product found by a search, then the plain kernel.
//
// targets: gfx942 gfx1201 sm_80
// full targets: gfx90a gfx1100 sm_90a
// expect * [grouped_kernel]: matrix
// expect gfx90a gfx942 gfx1100 gfx1201 [grouped_kernel]: wide_shared_load, wide_shared_store, /^flat_/ == 0
// expect gfx90a gfx942 gfx1100 gfx1201 [grouped_kernel]: /^s_load_/ >= 4

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/core/bfloat16.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
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
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) grouped_kernel(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template __global__ void grouped_kernel<grouped_gemm<aligned>>(grouped_gemm<aligned>::arguments);
template __global__ void grouped_kernel<grouped_gemm<element_wise>>(grouped_gemm<element_wise>::arguments);
