#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/core/status.hpp>
#include <tegula/emulator/counters.hpp>
#include <tegula/emulator/interface.hpp>
#include <tegula/emulator/memory_ranges.hpp>

#include <string>

/// The emulator is compiled in every file that launches kernels, which takes seconds. A program of several such files
/// can compile it once: all define TEGULA_EMULATOR_ELSEWHERE, and one includes emulator/launch_run.hpp.
#if defined(TEGULA_EMULATOR_ELSEWHERE)
#define TEGULA_EMULATOR_INLINE
#else
#define TEGULA_EMULATOR_INLINE inline
#endif

namespace tegula::emulator {

/// How a kernel is run.
struct run_config
{
    const chip_info* chip = nullptr;
    const char* kernel_name = "kernel"; ///< name in reports
    extent3 grid{};
    int block_threads = 0;
    extent3 cluster{};     ///< blocks of a cluster, which divide the grid; more than one if chip->runs_clusters()
    long shared_bytes = 0; ///< bytes per block
    bool checks = true;  ///< off: no misuse of memory is looked for, no access is counted; a GEMM is 1.4 times as fast
    int cpu_threads = 0; ///< CPU threads to use; 0: all there are
    int order = 0; ///< lanes and waves that can run take turns: 0 by rising number, -1 by falling number, from 1 on in
                   ///< a random order of that seed, also at atomic operations. A kernel without races does the same in
                   ///< all orders.
    /// Clusters that run at a time on a chip with launch control; a running cluster may take over the work of a waiting
    /// one. `order` decides which one gets which, and which one is refused. 0: all run, so that none is taken over.
    int resident = 0;
    /// All blocks run together and may wait for each other, as those of a cooperative launch on a GPU. Otherwise they
    /// run in any order, and a block that waits for one that has not started waits for ever.
    bool cooperative = false;
    /// CPU seconds without progress after which the launch ends with an error; 0: no limit. It is progress if a lane
    /// ends or meets others, at a barrier for example.
    double patience = 20;
    memory_ranges memory{}; ///< memory that the kernel may touch; with checks on, everything else is out of bounds
    /// The launch may start before the previous one has ended (programmatic dependent launch). `previous` is the memory
    /// of that one. Before a lane has waited for its end, it is an error to touch memory that it may write, and to
    /// write memory that it may read.
    bool overlaps_previous = false;
    memory_ranges previous{};
    /// The stack of a lane; 0: 256 KiB, with AddressSanitizer 1 MiB. Pages that the stack does not reach take no
    /// memory. A kernel that needs more ends in a segmentation fault.
    long stack_bytes = 0;
    /// Called after every block or cluster, by several CPU threads at a time, with the numbers of blocks that have
    /// ended and of blocks in the grid. Null: not called.
    void (*progress)(long ended, long all) = nullptr;
};

struct launch_result
{
    tegula::status status;       ///< one line: who, what
    std::string report;          ///< several lines: the status, the element and the remedy; empty when all is well
    emulator::counters counters; ///< complete only when the status is ok

    explicit operator bool() const { return status.ok(); }
};

namespace detail {

TEGULA_EMULATOR_INLINE launch_result run(const run_config& config, void (*kernel)(const void*), const void* object);

} // namespace detail

} // namespace tegula::emulator
