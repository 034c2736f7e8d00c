#pragma once

#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/emulator/published_order.hpp>
#include <tegula/emulator/report.hpp>

#include <string>

namespace tegula::emulator::detail {

/// The settings that every block of a launch is run with.
struct launch_plan
{
    const chip_info* chip = nullptr;
    const char* kernel_name = "";
    extent3 grid{};
    int block_threads = 0;
    long shared_bytes = 0;
    bool checks = true;
    const memory_ranges* ranges = nullptr;
    const memory_ranges* previous = nullptr; ///< memory of a launch that may still run
    void (*kernel)(const void*) = nullptr;
    const void* kernel_object = nullptr;
    extent3 cluster{};
    int order = 0;
    int resident = 0;
    bool cooperative = false; ///< `cluster` is the grid: all blocks run together
    double patience = 0;
    void (*progress)(long ended, long all) = nullptr;

    int cluster_blocks() const { return cluster.x * cluster.y * cluster.z; }
    int waves_of(int threads) const { return (threads + chip->wave_size - 1) / chip->wave_size; }
    /// Whether asynchronous hardware accesses shared memory and sees stores only after a proxy fence.
    bool has_async_proxy() const { return chip->has_clusters; }

    /// Position of block `rank` of cluster `number` in the grid; both count x fastest.
    extent3 block_of(long number, int rank) const
    {
        const long across = grid.x / cluster.x;
        const long down = grid.y / cluster.y;
        return {static_cast<int>(number % across) * cluster.x + rank % cluster.x,
                static_cast<int>(number / across % down) * cluster.y + rank / cluster.x % cluster.y,
                static_cast<int>(number / across / down) * cluster.z + rank / cluster.x / cluster.y};
    }
    long number_of(const extent3& block) const
    {
        return block.x + static_cast<long>(grid.x) * (block.y + static_cast<long>(grid.y) * block.z);
    }
};

/// A misuse and the lane it is about.
struct failure
{
    bool happened = false;
    std::string who;
    std::string line;  ///< line of the program
    std::string where; ///< tensor element, empty when none is known
    fault misuse{};
    bool endless = false; ///< it ran out of time, and other blocks may, too
};

/// The clusters of a launch in the order of their numbers, for what depends on it. Those of a cluster_line run one
/// after the other and have one turn.
class cluster_turns
{
public:
    /// Returns when all clusters of earlier turns have ended, and memory holds what they have added.
    virtual void wait_for_turn(long turn) = 0;
    /// The order that clusters published before they ended.
    virtual published_order& published() = 0;

protected:
    ~cluster_turns() = default;
};

} // namespace tegula::emulator::detail
