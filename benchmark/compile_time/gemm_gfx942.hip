// One GEMM for gfx942.

#include <hip/hip_runtime.h>

#include <tegula/gemm.hpp>

using namespace tegula;

using target = arch::gfx942;
using tile = gemm_tile<target, default_atom<target, bfloat16>, 128, 128, 32, 2, 2>;
using kernel = gemm_kernel<tile, operand_order::k_contiguous, operand_order::k_contiguous, float, epilogue::linear<>,
                           output_access::vectors>;

__global__ void TEGULA_LAUNCH_BOUNDS(kernel::block_threads) gemm(kernel::arguments args)
{
    run_kernel<target>(kernel{}, args);
}
