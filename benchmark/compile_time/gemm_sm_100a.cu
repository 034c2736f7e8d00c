// One GEMM by tcgen05 for sm_100a.

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>

using namespace tegula;

using target = arch::sm_100a;
using tile = tcgen05_tiles<target, bfloat16>::tc256x256_2x1;
using kernel = tcgen05_gemm<tile, operand_order::k_contiguous, operand_order::k_contiguous, bfloat16,
                            epilogue::linear<>, output_store::tensor_copies>;

__global__ void TEGULA_LAUNCH_BOUNDS(kernel::block_threads) gemm(const __grid_constant__ kernel::arguments args)
{
    run_kernel<target>(kernel{}, args);
}
