// Warp-specialised kernels whose clusters share the k of tiles, which test/device does not compile for a GPU.

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/split_k_reduction.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

using tile = warp_specialized_tiles<arch::sm_90a, bfloat16>::ws128x128_2x1;
template <work_partition Partition>
using kernel = warp_specialized_gemm<tile, operand_order::k_contiguous, operand_order::k_contiguous, float,
                                     epilogue::linear<float>, output_store::tensor_copies, Partition>;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    shared(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<arch::sm_90a>(Kernel{}, args);
}
template <class Kernel>
__global__ void summing(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<arch::sm_90a>(reduce_partials<split_k_reduction<Kernel>>{}, args);
}

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(shared<kernel<work_partition::split_k>>);
    *kept++ = reinterpret_cast<const void*>(summing<kernel<work_partition::split_k>>);
    *kept++ = reinterpret_cast<const void*>(shared<kernel<work_partition::stream>>);
    *kept++ = reinterpret_cast<const void*>(summing<kernel<work_partition::stream>>);
}

} // namespace tegula
