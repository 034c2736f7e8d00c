// Warp-specialised kernels whose clusters share the k of tiles, which test/device does not compile for a GPU.

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/shared_k.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

using tile = warp_specialized_tiles<arch::sm_90a, bfloat16>::pair_square;
template <work_sharing Sharing>
using kernel = warp_specialized_gemm<tile, operand_major::k, operand_major::k, float, epilogue::linear<float>, true, Sharing>;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) shared(const __grid_constant__ typename Kernel::arguments args)
{
    if constexpr (arch::sm_90a::in_this_pass())
        Kernel{}(args);
}
template <class Kernel>
__global__ void summing(const __grid_constant__ typename Kernel::arguments args)
{
    if constexpr (arch::sm_90a::in_this_pass())
        sum_parts<shared_k_sum<Kernel>>{}(args);
}

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(shared<kernel<work_sharing::split_k>>);
    *kept++ = reinterpret_cast<const void*>(summing<kernel<work_sharing::split_k>>);
    *kept++ = reinterpret_cast<const void*>(shared<kernel<work_sharing::stream>>);
    *kept++ = reinterpret_cast<const void*>(summing<kernel<work_sharing::stream>>);
}

} // namespace tegula
