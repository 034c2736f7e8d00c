#pragma once

namespace tegula {

/// The lanes whose accesses a fence or an arrival orders with those of its lane.
enum class thread_scope {
    block,   ///< lanes of the lane's block
    cluster, ///< lanes of all blocks of its cluster; where there are none, of the GPU
    device,  ///< lanes of the GPU
    system   ///< and the host, and other GPUs
};

} // namespace tegula
