#pragma once

#if defined(__HIP__)
#define TEGULA_GRID_CONSTANT
#else
#define TEGULA_GRID_CONSTANT __grid_constant__
#endif

/// TEGULA_KEEP(name): a __global__ function template `name` that runs a kernel of `target` by its arguments. The names of the
/// functions tell expectations what they are.
#define TEGULA_KEEP(name)                                                                                              \
    template <class Kernel>                                                                                            \
    __global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)                                                        \
        name(const TEGULA_GRID_CONSTANT typename Kernel::arguments args)                                               \
    {                                                                                                                  \
        run_kernel<target>(Kernel{}, args);                                                                            \
    }
