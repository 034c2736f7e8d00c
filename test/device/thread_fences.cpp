// Fences of all scopes, and the last block of a grid.
//
// targets: gfx942 sm_80
// full targets: gfx90a gfx1100 gfx1201 gfx1250 sm_90a
// may fail sm_80 sm_90a: a fence wider than the block
// may fail sm_80 sm_90a: an ERRBAR
// expect sm_80 sm_90a [sum_rows]: /fence\.acq_rel\.gpu/ == 2
// expect sm_80 sm_90a [fence_all]: /fence\.acq_rel\.cta/ == 1, /fence\.acq_rel\.sys/ == 1
// expect sm_90a [fence_all]: /fence\.acq_rel\.cluster/ == 1
// expect gfx90a gfx942 [sum_rows]: /buffer_wbl2|buffer_inv|buffer_wbinvl1/ >= 1
// expect gfx1100 [sum_rows]: /buffer_gl1_inv/ >= 1, /buffer_gl0_inv/ >= 1
// expect gfx1201 gfx1250 [sum_rows]: /global_inv scope:SCOPE_DEV/ >= 1

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include "last_block.hpp"

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

__global__ void sum_rows(const float* rows, float* parts, int* arrived, float* total, int blocks)
{
    last_block_sum<target>{rows, parts, arrived, total, blocks}();
}

/// A store on each side of each fence, so that none has nothing to order.
__global__ void fence_all(float* to)
{
    target::store_global(to, 1.0f);
    target::thread_fence<thread_scope::block>();
    target::store_global(to + 1, 2.0f);
    target::thread_fence<thread_scope::cluster>();
    target::store_global(to + 2, 3.0f);
    target::thread_fence<thread_scope::device>();
    target::store_global(to + 3, 4.0f);
    target::thread_fence<thread_scope::system>();
    target::store_global(to + 4, 5.0f);
}

} // namespace tegula
