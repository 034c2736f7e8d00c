#pragma once

#include <tegula/core/config.hpp>

namespace tegula::emulator {

/// The work of a launch, summed over its blocks. Instructions are counted per wave, as the hardware issues them.
///
/// Memory instructions, conflicts and sectors are counted only with checks on: the accesses of the lanes of a wave are
/// matched by their order between two points where the wave meets (barrier, shuffle, matrix instruction).
struct counters
{
    std::int64_t mma_instructions = 0;
    std::int64_t global_loads = 0;
    std::int64_t global_stores = 0;
    std::int64_t shared_loads = 0;
    std::int64_t shared_stores = 0;
    std::int64_t async_copies = 0;
    std::int64_t bulk_loads = 0; ///< loads of the copy engine: tensor boxes and contiguous bytes
    std::int64_t bulk_stores = 0;
    std::int64_t bulk_load_bytes = 0;
    std::int64_t bulk_store_bytes = 0;
    std::int64_t shuffles = 0;
    std::int64_t wave_barriers = 0;
    std::int64_t canceled_clusters = 0;      ///< clusters that running ones took over before they started
    std::int64_t barriers = 0;               ///< block-wide and named barriers, once each time one opens
    std::int64_t shared_load_conflicts = 0;  ///< extra cycles, by chip/bank_conflicts.hpp
    std::int64_t shared_store_conflicts = 0; ///< likewise; includes writes of asynchronous copies
    std::int64_t global_load_sectors = 0;    ///< 32-byte sectors, counted once per wave access
    std::int64_t global_store_sectors = 0;
    std::int64_t shared_bytes = 0; ///< bytes per block, not summed

    counters& operator+=(const counters& other)
    {
        mma_instructions += other.mma_instructions;
        global_loads += other.global_loads;
        global_stores += other.global_stores;
        shared_loads += other.shared_loads;
        shared_stores += other.shared_stores;
        async_copies += other.async_copies;
        bulk_loads += other.bulk_loads;
        bulk_stores += other.bulk_stores;
        bulk_load_bytes += other.bulk_load_bytes;
        bulk_store_bytes += other.bulk_store_bytes;
        shuffles += other.shuffles;
        wave_barriers += other.wave_barriers;
        canceled_clusters += other.canceled_clusters;
        barriers += other.barriers;
        shared_load_conflicts += other.shared_load_conflicts;
        shared_store_conflicts += other.shared_store_conflicts;
        global_load_sectors += other.global_load_sectors;
        global_store_sectors += other.global_store_sectors;
        return *this;
    }
    friend bool operator==(const counters&, const counters&) = default;
};

} // namespace tegula::emulator
