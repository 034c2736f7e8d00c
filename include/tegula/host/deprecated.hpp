#pragma once

#include <tegula/host/emulated_forms.hpp>
#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/launch_warp_specialized.hpp>

/// Former launches; the next version is without them.

namespace tegula {

template <class Shared>
[[deprecated("tegula: use emulate_split_k")]]
emulator::launch_result emulate_shared_k(Shared shared, const typename Shared::arguments& args,
                                         emulator::launch_config config = {})
{
    return emulate_split_k(shared, args, std::move(config));
}

#if TEGULA_GPU_COMPILER

inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Kernel>
[[deprecated("tegula: use launch with a gpu_device")]]
status launch_on_gpu(Kernel kernel, const typename Kernel::arguments& args, long_index_t blocks)
{
    launch_config config;
    config.grid.x = blocks;
    return launch(gpu_device{}, config, kernel, args);
}

template <class Shared>
[[deprecated("tegula: use launch_split_k with a gpu_device")]]
status launch_shared_k(Shared shared, const typename Shared::arguments& args)
{
    return launch_split_k(gpu_device{}, shared, args);
}

template <class Kernel>
[[deprecated("tegula: use launch_warp_specialized with a gpu_device")]]
status launch_warp_specialized(Kernel kernel, const typename Kernel::product_type& product, index_t splits = 1,
                               gemm_workspace workspace = {})
{
    return launch_warp_specialized(gpu_device{}, kernel, product, splits, workspace);
}

template <class Kernel>
[[deprecated("tegula: use find_resident_blocks with a gpu_device")]]
status find_resident_blocks(int& blocks)
{
    return find_resident_blocks<Kernel>(gpu_device{}, blocks);
}

template <class Kernel>
[[deprecated("tegula: use find_multiprocessors with a gpu_device")]]
status find_multiprocessors(int& multiprocessors)
{
    return find_multiprocessors<Kernel>(gpu_device{}, multiprocessors);
}

} // namespace TEGULA_RUNTIME_NAMESPACE

#endif

} // namespace tegula
