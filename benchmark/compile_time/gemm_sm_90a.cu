// One GEMM for sm_90a.

#include <tegula/gemm.hpp>

using namespace tegula;

using target = arch::sm_90a;
using tile = gemm_tile<target, default_atom<target, bfloat16>, 128, 128, 32, 2, 4, 3>;
using kernel = gemm_kernel<tile, operand_order::k_contiguous, operand_order::k_contiguous, float, epilogue::linear<>,
                           output_access::vectors>;

__global__ void TEGULA_LAUNCH_BOUNDS(kernel::block_threads) gemm(kernel::arguments args)
{
    run_kernel<target>(kernel{}, args);
}
