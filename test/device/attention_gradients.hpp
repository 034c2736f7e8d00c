#pragma once

/// The __global__ functions of the device tests of attention backward; their names tell expectations which kernel it is.

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/kernel/attention/backward/tiles.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

#define TEGULA_GRADIENT(name)                                                                                          \
    template <class Kernel>                                                                                            \
    __global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) name(typename Kernel::arguments args)                  \
    {                                                                                                                  \
        run_kernel<target>(Kernel{}, args);                                                                            \
    }
TEGULA_GRADIENT(sums)
TEGULA_GRADIENT(keys)
TEGULA_GRADIENT(queries)
TEGULA_GRADIENT(bias)
TEGULA_GRADIENT(sinks)

/// The kernels of dK, dV and dQ.
template <class Kernels>
void keep_gradients(const void**& kept)
{
    *kept++ = reinterpret_cast<const void*>(keys<typename Kernels::keys>);
    if constexpr (Kernels::split)
        *kept++ = reinterpret_cast<const void*>(keys<typename Kernels::values>);
    *kept++ = reinterpret_cast<const void*>(queries<typename Kernels::queries>);
}

} // namespace tegula
