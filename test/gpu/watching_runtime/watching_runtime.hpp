#pragma once

#include <map>
#include <string>
#include <vector>

/// A CUDA runtime without a GPU, in the place of NVIDIA's library: memory is the host's, launches are only noted. It
/// watches what is called while a stream is captured, and what shared memory each function may have. A call that it does
/// not have does not link.

namespace tegula::test {

struct watching_runtime
{
    int major = 8, minor = 0; ///< compute capability of its GPU
    bool capturing = false;
    std::vector<std::string> refused; ///< calls in a capture that CUDA forbids there
    int captured_launches = 0;
    int launches = 0; ///< outside of captures, and of graphs
    int replays = 0;
    int overlapping_launches = 0; ///< that may start before those before them have ended
    int clustered_launches = 0;
    int occupancies = 0;                                ///< questions of how many blocks or clusters run at a time
    int encoded_maps = 0;                               ///< tensor maps that the driver's encoder made
    int gpu = 0;                                        ///< the current one
    std::vector<std::size_t> shared_bytes;              ///< of each launch
    std::map<const void*, std::vector<int>> attributes; ///< shared memory that each kernel was allowed, call by call
    /// Asked at each launch, by the kernel's name in the machine code; its answer, an error of CUDA, is that of the launch.
    int (*answer)(const char* kernel, void** arguments) = nullptr;
};

watching_runtime& the_runtime();

/// Prepares and launches two functions of one kernel of 64 KB of shared memory, in graph.gpu.cpp: nvcc 13 gives each file that
/// launches a kernel a function of its own for it. Returns what is wrong,
/// or an empty string.
std::string launch_two_functions_of_a_kernel();

/// Makes maps of `count` tensors, whose addresses are 1 KB apart from `first` KB on, in graph_sm_90a.gpu.cpp. Returns what is
/// wrong, or an empty string.
std::string make_tensor_maps(int first, int count);

} // namespace tegula::test
