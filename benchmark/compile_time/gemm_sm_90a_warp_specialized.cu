// One warp-specialised GEMM for sm_90a.

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

using namespace tegula;

using target = arch::sm_90a;
using tile = warp_specialized_tiles<target, bfloat16>::ws128x256_2x1;
using kernel = warp_specialized_gemm<tile, operand_order::k_contiguous, operand_order::k_contiguous, bfloat16,
                                     epilogue::linear<>, output_store::tensor_copies>;

__global__ void TEGULA_LAUNCH_BOUNDS(kernel::block_threads) gemm(const __grid_constant__ kernel::arguments args)
{
    run_kernel<target>(kernel{}, args);
}
