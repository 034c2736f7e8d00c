#pragma once

#include <tegula/core/status.hpp>
#include <tegula/host/launch.hpp>

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>

/// How HIP starts clusters of blocks, for gfx1250: hipLaunchKernelExC with a cluster's size, of ROCm 7 and newer (HIP
/// runtime API, "Execution control"). It is found at run time and described here, so that older headers compile.

namespace tegula::hip_clusters {

struct dimensions
{
    std::uint32_t x = 1, y = 1, z = 1;
};

/// hipLaunchAttribute with the value clusterDim.
struct attribute
{
    static constexpr std::int32_t cluster_dimension = 4; ///< hipLaunchAttributeClusterDimension

    std::int32_t id = cluster_dimension;
    std::int32_t padding = 0;
    dimensions cluster;
    std::uint32_t rest[13]{}; ///< values have 64 bytes
};
static_assert(sizeof(attribute) == 72 && offsetof(attribute, cluster) == 8);

/// hipLaunchConfig_t.
struct config
{
    dimensions grid; ///< in blocks
    dimensions block;
    std::size_t shared_bytes = 0;
    void* stream = nullptr;
    const attribute* attributes = nullptr;
    std::uint32_t count = 0;
};
static_assert(sizeof(config) == 56);

/// hipLaunchKernelExC; 0 is hipSuccess.
using launch_function = int (*)(const config*, const void* function, void** parameters);

/// Finds hipLaunchKernelExC. Errors: unsupported if the HIP runtime of the process has none.
inline status find_launch(launch_function& found)
{
    found = reinterpret_cast<launch_function>(dlsym(RTLD_DEFAULT, "hipLaunchKernelExC"));
    if (found != nullptr)
        return {};
    return {status_code::unsupported, "the HIP runtime cannot start clusters, it has no hipLaunchKernelExC; install "
                                      "ROCm 7 or newer, or take a kernel without clusters"};
}

/// Starts blocks of `threads` threads in clusters; returns HIP's error.
inline int start(launch_function launch, const void* function, const launch_config::extent& grid,
                 const launch_config::extent& cluster, int threads, long shared_bytes, void* stream, void** parameters)
{
    const auto dim = [](const launch_config::extent& e) {
        return dimensions{static_cast<std::uint32_t>(e.x), static_cast<std::uint32_t>(e.y),
                          static_cast<std::uint32_t>(e.z)};
    };
    attribute members;
    members.cluster = dim(cluster);
    const config c{dim(grid),
                   {static_cast<std::uint32_t>(threads), 1, 1},
                   static_cast<std::size_t>(shared_bytes),
                   stream,
                   &members,
                   1};
    return launch(&c, function, parameters);
}

} // namespace tegula::hip_clusters
