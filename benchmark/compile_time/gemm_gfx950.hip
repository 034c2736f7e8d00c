// One GEMM for gfx950: 256x256x64 in ping-pong with direct loads.

#include <hip/hip_runtime.h>

#include <tegula/gemm.hpp>

using namespace tegula;

using target = arch::gfx950;
using tile = gemm_tiles<target, bfloat16>::t256x256;
using kernel = gemm_kernel<tile, operand_order::k_contiguous, operand_order::k_contiguous, float, epilogue::linear<>,
                           output_access::vectors>;

__global__ void TEGULA_LAUNCH_BOUNDS(kernel::block_threads) gemm(kernel::arguments args)
{
    run_kernel<target>(kernel{}, args);
}
