// Reductions, scans and top-k of tensors of any shape. Nothing may go to scratch memory; accesses are of 16 bytes where
// shapes allow them.
//
// targets: gfx942
// full targets: gfx90a gfx1100 gfx1201 sm_80 sm_90a
// Rows that follow each other in memory, four vectors in flight, and others by a window.
// expect * [sum_of_rows]: wide_global_load >= 8, registers <= 72
// expect * [sum_of_columns]: wide_global_load >= 4, registers <= 72
// expect sm_80 sm_90a [sum_of]: /ld\.global\.u16/ == 0
// expect * [largest_of_rows]: wide_global_load >= 1
// expect * [scan_rows]: wide_global_load >= 1, wide_global_store >= 1
// expect * [topk]: wide_global_load >= 1

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/core/half.hpp>
#include <tegula/kernel/reduction/scan_kernel.hpp>
#include <tegula/kernel/reduction/topk_kernel.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

template <reduce_layout Layout>
using sum_kernel = reduce_kernel<target, fold_reducer<half, plus>, half, Layout, 8>;
using largest_kernel = reduce_kernel<target, arg_reducer<float>, long_index_t, reduce_layout::wave, 4>;
using scan_kernel_of_rows = scan_kernel<target, half, plus, half, reduce_layout::block, 8>;
using topk_kernel_of_rows = topk_kernel<target, half, 8>;

__global__ void TEGULA_LAUNCH_BOUNDS(256) sum_of_rows(sum_kernel<reduce_layout::block>::arguments args)
{
    run_kernel<target>(sum_kernel<reduce_layout::block>{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) sum_of_columns(sum_kernel<reduce_layout::across>::arguments args)
{
    run_kernel<target>(sum_kernel<reduce_layout::across>{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) largest_of_rows(largest_kernel::arguments args)
{
    run_kernel<target>(largest_kernel{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) scan_rows(scan_kernel_of_rows::arguments args)
{
    run_kernel<target>(scan_kernel_of_rows{}, args);
}
__global__ void TEGULA_LAUNCH_BOUNDS(256) topk(topk_kernel_of_rows::arguments args)
{
    run_kernel<target>(topk_kernel_of_rows{}, args);
}

} // namespace tegula
