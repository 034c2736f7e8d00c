// Split-K compiled for every target: the loop of the plain kernel, and a second kernel without matrix instructions.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_80 sm_90a
// expect * [first_kernel]: matrix, wide_global_store
// expect gfx90a gfx942 gfx1100 gfx1201 [first_kernel]: wide_shared_load, wide_shared_store
// expect * [second_kernel]: matrix == 0, wide_global_load, shared_bytes == 0, registers <= 64
// expect * [output_accessE1]: wide_global_store >= 1, half_wide_global_store == 0

#include "test/device/gemm_form.hpp"

#include <tegula/kernel/gemm/forms/split_k.hpp>

template __global__ void first_kernel<split_k_gemm<aligned>>(split_k_gemm<aligned>::arguments);
template __global__ void first_kernel<split_k_gemm<element_wise>>(split_k_gemm<element_wise>::arguments);
template __global__ void second_kernel<split_k_gemm<aligned>>(split_k_gemm<aligned>::arguments);
template __global__ void second_kernel<split_k_gemm<element_wise>>(split_k_gemm<element_wise>::arguments);
