// Kernels on rows: those whose registers are the scarcest of each family, and rows in chunks and of single elements.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 sm_80 sm_90a
// expect * [resident]: wide_global_load >= 2, wide_global_store >= 2
// expect * [chunks]: registers <= 128
// expect * [norm_kernel]: registers <= 128
// expect sm_80 sm_90a [ELi4ELi8ELNS_11row_storageE0EEELNS_9norm_kind]: registers <= 80
// expect gfx942 gfx90a gfx950 gfx1100 gfx1201 [norm_kernel]: registers <= 96
// expect sm_80 sm_90a [norm_kernel]: /cvt\.u32\.u16/ == 0

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/normalization.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

// The name of the function tells expectations which kernel it is.
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads, blocks_together<Kernel>)
    resident(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads, blocks_together<Kernel>)
    chunks(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template <class Kernel>
void keep_resident(const void**& kept)
{
    *kept++ = reinterpret_cast<const void*>(resident<Kernel>);
}
template <class Kernel>
void keep_chunks(const void**& kept)
{
    *kept++ = reinterpret_cast<const void*>(chunks<Kernel>);
}

template <class T>
using block_tile = tile_at<row_tiles_for<target, row_vector<T, T>>, 5>;
template <class T> // 4 vectors a lane
using half_tile = tile_at<row_tiles_for<target, row_vector<T, T>>, 4>;
template <class T>
using wave_tile = tile_at<row_tiles_for<target, row_vector<T, T>>, 2>;
using chunk_tile = tile_at<row_tiles_for<target, 8>, 6>;
using single_tile = tile_at<row_tiles_for<target, 8>, 10>;

void keep_all(const void** kept)
{
    keep_resident<softmax_kernel<block_tile<half>, half>>(kept);
    keep_resident<softmax_kernel<wave_tile<float>, float, float, softmax_form::log_softmax>>(kept);
    keep_resident<norm_kernel<block_tile<bfloat16>, norm_kind::layer, bfloat16>>(kept);
    keep_resident<norm_kernel<half_tile<bfloat16>, norm_kind::rms, bfloat16>>(kept);
    keep_resident<softmax_backward_kernel<block_tile<half>, half>>(kept);
    keep_resident<norm_backward_kernel<block_tile<float>, norm_kind::layer, float>>(kept);
    keep_resident<cross_entropy_backward_kernel<wave_tile<half>, half>>(kept);

    keep_chunks<softmax_kernel<chunk_tile, half>>(kept);
    keep_chunks<norm_kernel<chunk_tile, norm_kind::rms, bfloat16, std::int8_t>>(kept);
    keep_chunks<norm_gradient_sums<vector_strip_of<strip_tile_for<target>>, norm_kind::layer, bfloat16>>(kept);
    keep_chunks<norm_gradient_totals<strip_tile_for<target>, bfloat16>>(kept);
    keep_chunks<cross_entropy_kernel<single_tile, float>>(kept);
    keep_chunks<topk_softmax_kernel<wave_tile<bfloat16>, bfloat16>>(kept);
}

} // namespace tegula
