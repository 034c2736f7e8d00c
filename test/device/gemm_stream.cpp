// Stream-K compiled for every target: several tiles a block, in a loop, without a spilled register.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_80 sm_90a
// expect * [first_kernel]: matrix, wide_global_store
// expect gfx90a gfx942 gfx1100 gfx1201 [first_kernel]: wide_shared_load, wide_shared_store
// expect * [second_kernel]: matrix == 0, wide_global_load, shared_bytes == 0, registers <= 64

#include "test/device/gemm_form.hpp"

#include <tegula/kernel/gemm/forms/stream_k.hpp>

template __global__ void first_kernel<stream_k_gemm<aligned>>(stream_k_gemm<aligned>::arguments);
template __global__ void first_kernel<stream_k_gemm<element_wise>>(stream_k_gemm<element_wise>::arguments);
template __global__ void second_kernel<stream_k_gemm<aligned>>(stream_k_gemm<aligned>::arguments);
template __global__ void second_kernel<stream_k_gemm<element_wise>>(stream_k_gemm<element_wise>::arguments);
