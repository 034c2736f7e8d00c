#pragma once

namespace tegula {

/// The lanes whose accesses a fence or an arrival orders with those of its lane.
enum class thread_scope {
    block,   ///< lanes of the lane's block
    cluster, ///< lanes of all blocks of its cluster; lanes of the GPU if it has no clusters
    device,  ///< lanes of the GPU
    system   ///< lanes of this and other GPUs, and the host
};

} // namespace tegula
