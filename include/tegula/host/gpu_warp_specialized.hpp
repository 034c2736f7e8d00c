#pragma once

#include <tegula/host/gpu_runtime.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/gemm/warp_specialized/maps.hpp>

#if defined(__CUDACC__)

namespace tegula {

/// Multiprocessors of the current GPU, as many as clusters of the kernel fill at a time.
template <class Kernel>
status find_multiprocessors(int& multiprocessors)
{
    int device = 0;
    if (status s = check_runtime(cudaGetDevice(&device), "asking for the current GPU"); !s)
        return s;
    if (status s = check_runtime(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                                 "asking for the number of multiprocessors");
        !s)
        return s;
    if constexpr (Kernel::cluster_blocks > 1) {
        // Multiprocessors come in groups of unequal size, of which clusters may leave some idle.
        cudaLaunchAttribute cluster{};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim = {Kernel::cluster_blocks, 1, 1};
        cudaLaunchConfig_t config{};
        config.gridDim = static_cast<unsigned>(multiprocessors / Kernel::cluster_blocks * Kernel::cluster_blocks);
        config.blockDim = Kernel::block_threads;
        config.dynamicSmemBytes = Kernel::shared_bytes;
        config.attrs = &cluster;
        config.numAttrs = 1;
        int clusters = 0;
        const auto function = reinterpret_cast<const void*>(&gpu_kernel<Kernel>);
        if (status s = check_runtime(
                cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, Kernel::shared_bytes),
                "asking for shared memory");
            !s)
            return s;
        if (status s = check_runtime(cudaOccupancyMaxActiveClusters(&clusters, &gpu_kernel<Kernel>, &config),
                                     "asking how many clusters run at a time");
            !s)
            return s;
        if (clusters > 0)
            multiprocessors = clusters * Kernel::cluster_blocks;
    }
    return {};
}

/// Starts a warp_specialized_gemm with arguments as fill_arguments leaves them on the current GPU's default stream, and
/// its reduce_partials where clusters share the k of tiles. Does not wait.
template <class Kernel>
status start_warp_specialized(Kernel kernel, const typename Kernel::arguments& args)
{
    if (status s = launch_on_gpu(kernel, args, Kernel::blocks(args)); !s)
        return s;
    if constexpr (Kernel::has_partials) {
        using sum = reduce_partials<split_k_reduction<Kernel>>;
        return launch_on_gpu(sum{}, args, sum::blocks(args));
    }
    return {};
}

/// The same for a product, all addresses being the GPU's.
///
/// Errors: those of fill_arguments, encode_tensor_map and of the runtime.
template <class Kernel>
status launch_warp_specialized(Kernel kernel, const typename Kernel::product_type& product, index_t splits = 1,
                               gemm_workspace workspace = {})
{
    int multiprocessors = 0;
    if (status s = find_multiprocessors<Kernel>(multiprocessors); !s)
        return s;
    typename Kernel::arguments args;
    if (status s = fill_arguments<Kernel>(args, product, multiprocessors, encode_tensor_map, splits, workspace); !s)
        return s;
    return start_warp_specialized(kernel, args);
}

} // namespace tegula

#endif
