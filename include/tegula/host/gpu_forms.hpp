#pragma once

#include <tegula/host/gpu_runtime.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>
#include <tegula/kernel/gemm/normalize.hpp>

/// The forms of GEMM besides the plain one on the current GPU.

#if TEGULA_GPU_COMPILER

namespace tegula {

inline namespace TEGULA_RUNTIME_NAMESPACE {

/// Blocks of the kernel that the current GPU runs at a time: the workers for stream_k_gemm.
template <class Kernel>
status find_resident_blocks(int& blocks)
{
    int device = 0, on_each = 0;
    device_properties properties;
    if (status s = check_runtime(TEGULA_RUNTIME(GetDevice)(&device), "asking for the current GPU"); !s)
        return s;
    if (status s =
            check_runtime(TEGULA_RUNTIME(GetDeviceProperties)(&properties, device), "asking for the GPU's properties");
        !s)
        return s;
    const auto function = reinterpret_cast<const void*>(&gpu_kernel<Kernel>);
    if (status s =
            check_runtime(TEGULA_RUNTIME(FuncSetAttribute)(
                              function, TEGULA_RUNTIME(FuncAttributeMaxDynamicSharedMemorySize), Kernel::shared_bytes),
                          "asking for shared memory");
        !s)
        return s;
    if (status s = check_runtime(TEGULA_RUNTIME(OccupancyMaxActiveBlocksPerMultiprocessor)(
                                     &on_each, function, Kernel::block_threads, Kernel::shared_bytes),
                                 "asking how many blocks run at a time");
        !s)
        return s;
    blocks = properties.multiProcessorCount * (on_each > 0 ? on_each : 1);
    return {};
}

/// Starts split_k_gemm or stream_k_gemm, both kernels, on the current GPU's default stream, all addresses being the
/// GPU's. Does not wait.
///
/// Errors: those of Shared::check and of the runtime.
template <class Shared>
status launch_split_k(Shared shared, typename Shared::arguments args)
{
    using sum = reduce_partials<Shared>;
    if (status s = Shared::check(args); !s)
        return s;
    args.product = normalize(args.product);
    if (status s = launch_on_gpu(shared, args, Shared::blocks(args)); !s)
        return s;
    return launch_on_gpu(sum{}, args, sum::blocks(args));
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula

#endif
