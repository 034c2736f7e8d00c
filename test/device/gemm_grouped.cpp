// Grouped GEMM compiled for every target: a product found by a search, then the plain kernel.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_80 sm_90a
// expect * [grouped_kernel]: matrix
// expect gfx90a gfx942 gfx1100 gfx1201 [grouped_kernel]: wide_shared_load, wide_shared_store, /^flat_/ == 0
// expect gfx90a gfx942 gfx1100 gfx1201 [grouped_kernel]: /^s_load_/ >= 4
// expect gfx942 clang22 [grouped_kernel]: loop_matrix_percent >= 21
// expect gfx942 clang22 [output_accessE1]: loop_matrix_percent >= 44
// expect gfx950 [grouped_kernel]: loop_matrix_percent >= 11
// expect gfx950 [output_accessE1]: loop_matrix_percent >= 22
// expect gfx90a clang22 [grouped_kernel]: loop_matrix_percent >= 33
// expect gfx90a clang22 [output_accessE1]: loop_matrix_percent >= 64

#include "test/device/gemm_form.hpp"

#include <tegula/kernel/gemm/forms/grouped.hpp>

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) grouped_kernel(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template __global__ void grouped_kernel<grouped_gemm<aligned>>(grouped_gemm<aligned>::arguments);
template __global__ void grouped_kernel<grouped_gemm<element_wise>>(grouped_gemm<element_wise>::arguments);
