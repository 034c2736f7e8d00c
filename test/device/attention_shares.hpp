#pragma once

/// The __global__ functions of the device tests of attention whose keys are split; their names tell expectations which kernel
/// it is.

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/kernel/attention/split/kernel.hpp>
#include <tegula/kernel/attention/tiles.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) shares(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) sum(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

} // namespace tegula
