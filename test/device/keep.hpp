#pragma once

/// TEGULA_KEEP(name): a __global__ function template `name` that runs a kernel of `target` by its arguments. The names of the
/// functions tell expectations what they are.
#define TEGULA_KEEP(name)                                                                                              \
    template <class Kernel>                                                                                            \
    __global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)                                                        \
        name(const __grid_constant__ typename Kernel::arguments args)                                                  \
    {                                                                                                                  \
        run_kernel<target>(Kernel{}, args);                                                                            \
    }
