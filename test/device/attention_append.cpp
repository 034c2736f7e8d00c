// Appending of keys and values of 128 and of 256 columns to a cache, with a rotary embedding.
//
// targets: gfx942
// full targets: gfx90a gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a sm_120a
// expect *: wide_global_load >= 8, wide_global_store >= 4

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/kernel/attention/append/kernel.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) append(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(append<append_kernel<target, half, 128>>);
    *kept++ = reinterpret_cast<const void*>(append<append_kernel<target, bfloat16, 256>>);
}

} // namespace tegula
