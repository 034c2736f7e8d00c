#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// A CUDA runtime without a GPU, in the place of NVIDIA's library. It watches what is called while a stream is captured,
/// and what shared memory each function may have. A played_gpu has the memory and gets the launches. A call that the
/// runtime does not have does not link.

namespace tegula::test {

/// A launch as the runtime was asked for it.
struct asked_launch
{
    const void* module; ///< what __cudaRegisterFatBinary was given with the kernel
    const char* kernel; ///< its name in the machine code
    std::array<unsigned, 3> grid, block, cluster;
    std::size_t shared_bytes;
    bool overlaps; ///< it may start before the launch before it has ended
    bool captured; ///< in a graph; it runs when that is replayed
    void** arguments;
};

/// A tensor map as cuTensorMapEncodeTiled is asked for it. `strides` begin with dimension 1.
struct asked_tensor_map
{
    int type, rank, interleave, swizzle, fill;
    void* base;
    const std::uint64_t *lengths, *strides;
    const std::uint32_t *box, *element_strides;
};

/// A GPU on which nothing runs and whose memory is the host's. Derived ones do more. Numbers returned are CUDA's errors.
struct played_gpu
{
    virtual ~played_gpu() = default;
    virtual void* allocate(std::size_t bytes);
    virtual void release(void* memory);
    virtual int copy(void* to, const void* from, std::size_t bytes);
    virtual int start(const asked_launch&) { return 0; }
    virtual void begin_capture() {}
    virtual int replay() { return 0; }
    /// Writes the 128 bytes of a map; here its tensor's address, and bit 21 of the second word.
    virtual int encode(std::uint64_t* map, const asked_tensor_map& asked);
    /// The text of an error; null: the runtime's own.
    virtual const char* describe(int) { return nullptr; }
};

/// The GPU that is played where the program names no other.
played_gpu& idle_gpu();

struct watching_runtime
{
    int major = 8, minor = 0; ///< compute capability of its GPU; TEGULA_GPU_CAPABILITY=9.0 is another one
    bool capturing = false;
    std::vector<std::string> refused; ///< calls in a capture that CUDA forbids there
    int captured_launches = 0;
    int launches = 0; ///< outside of captures, and of graphs
    int replays = 0;
    int overlapping_launches = 0; ///< that may start before those before them have ended
    int clustered_launches = 0;
    int occupancies = 0;                                ///< questions of how many blocks or clusters run at a time
    int encoded_maps = 0;                               ///< tensor maps that the driver's encoder made
    int looked_up = 0;                                  ///< functions of the driver, by name
    bool copies = false;                                ///< from the host, which nobody has waited for
    int overtaken_copies = 0;                           ///< by launches on a stream that does not wait for them
    int gpu = 0;                                        ///< the current one
    std::vector<std::size_t> shared_bytes;              ///< of each launch
    std::map<const void*, std::vector<int>> attributes; ///< shared memory that each kernel was allowed, call by call
    played_gpu* played = &idle_gpu();
};

watching_runtime& the_runtime();

/// Prepares and launches two functions of one kernel of 64 KB of shared memory, in graph.gpu.cpp: nvcc 13 gives each file that
/// launches a kernel a function of its own for it. Returns what is wrong,
/// or an empty string.
std::string launch_two_functions_of_a_kernel();

/// Makes maps of `count` tensors, whose addresses are 1 KB apart from `first` KB on, in graph_sm_90a.gpu.cpp. Returns what is
/// wrong, or an empty string.
std::string make_tensor_maps(int first, int count);

/// The second word of the map of a bf16 tensor of 64 x 64 whose rows are so many bytes apart, in graph_sm_90a.gpu.cpp; all ones
/// if it is refused.
std::uint64_t second_word_of_map(long row_bytes);

} // namespace tegula::test
