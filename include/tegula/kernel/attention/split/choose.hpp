#pragma once

#include <tegula/chip/chip_speed.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

/// Keys that tiles of so many queries visit in a sequence of `keys`: all, or those of a window.
constexpr index_t visited_keys(const attention_band& band, attention_mask mask, index_t keys, index_t queries)
{
    if (mask == attention_mask::none || band.left < 0 || band.right < 0 || band.prefix > 0 ||
        band.prefix_lengths != nullptr)
        return keys;
    const long_index_t width = long_index_t{band.left} + queries + band.right;
    return static_cast<index_t>(min(long_index_t{keys}, width));
}

/// The sizes of an attention that decide into how many shares its keys are split.
struct attention_work_size
{
    long_index_t query_tiles = 0; ///< tiles of queries, of all heads and sequences
    index_t key_tiles = 0;        ///< tiles of keys of the longest sequence, or of its window
    index_t value_bytes = 0;      ///< bytes of a tile of K and V together
    index_t share_bytes =
        0; ///< bytes of O, lse and shift of a tile of queries, in float, which a share writes and combining reads
    index_t resident = 1; ///< blocks that a compute unit holds at a time
};

/// Blocks of few queries that a compute unit holds at a time. On NVIDIA registers suffice for two; on AMD one is counted.
constexpr index_t resident_blocks_of_few(const chip_info& chip, index_t shared_bytes)
{
    return chip.vendor == vendor::nvidia && 2 * long_index_t{shared_bytes} <= chip.shared_bytes ? 2 : 1;
}

/// The number of shares to split the keys of each tile of queries into; 1: not at all.
///
/// Without a split there are `query_tiles` blocks. If they do not saturate the memory's bandwidth, the keys are split
/// into the number of shares that takes the least time. That time is the loads of all rounds of blocks, the partial
/// results written and read once more, and a load's latency for each share, which combining reads one after the other.
/// chip_speed::block_bandwidth is the bandwidth that one block draws, in parts of a compute unit's: with 2, half of the
/// units suffice; with 0.5, two blocks a unit are needed. A share has at least two tiles of keys: in a shorter one the
/// start and the end of the block would take longer than its loop.
constexpr index_t choose_attention_splits(const attention_work_size& size, const chip_info& chip, index_t most = 128)
{
    const chip_speed speed = chip::speed_of(chip);
    const auto drawing = static_cast<long_index_t>(speed.compute_units / speed.block_bandwidth + 0.5); // blocks for all
    const long_index_t at_once = max(long_index_t{speed.compute_units} * size.resident, drawing);
    if (size.query_tiles <= 0 || size.query_tiles >= at_once)
        return 1;
    // Bytes that the memory delivers during the latency of a load, of about 800 cycles.
    const auto latency_bytes = static_cast<long_index_t>(800e3 * speed.memory_gigabytes / speed.megahertz);
    const auto bytes_in_time = [&](index_t splits) {
        const long_index_t blocks = size.query_tiles * splits;
        const long_index_t rounds = ceil_div(blocks, at_once);
        const long_index_t of_a_share = ceil_div(size.key_tiles, splits) * long_index_t{size.value_bytes};
        // The time of a round: a block's bytes at its own bandwidth or, if longer, all blocks' bytes at the whole.
        const long_index_t sharing = max(drawing, min(blocks, at_once));
        const long_index_t keys = rounds * of_a_share * sharing;
        return splits == 1 ? keys : keys + 2 * blocks * size.share_bytes + splits * latency_bytes;
    };
    index_t best = 1;
    for (index_t splits = 2; splits <= most && 2 * splits <= size.key_tiles; ++splits)
        if (bytes_in_time(splits) < bytes_in_time(best))
            best = splits;
    return best;
}

} // namespace tegula
