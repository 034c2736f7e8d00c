#pragma once

/// The plain kernels that the device tests of split-K, stream-K and groups are made of.

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/core/bfloat16.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

using namespace tegula;
using target = arch::TEGULA_TEST_TARGET;
using tile = gemm_tiles<target, bfloat16>::t128x128;
using aligned = gemm_kernel<tile, operand_order::k_contiguous, operand_order::row_contiguous, bfloat16,
                            epilogue::linear<bfloat16>, output_access::vectors>;
using element_wise = gemm_kernel<tile, operand_order::any, operand_order::any, bfloat16, epilogue::linear<bfloat16>,
                                 output_access::elements>;

// The names of the functions tell expectations which kernel it is.
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
