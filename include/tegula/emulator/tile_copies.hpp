#pragma once

#include <tegula/chip/tensor_tile.hpp>
#include <tegula/emulator/async_runtime.hpp>
#include <tegula/emulator/interface.hpp>

/// gfx1250's tensor data mover as functions of the lane that calls them; misuse ends the launch with a report.

namespace tegula::emulator {

namespace detail {
/// Copies `bytes` bytes, at most 16, of a tile.
inline void copy_of_tile(lane_state& me, std::byte* to, const std::byte* from, int bytes, bool valid)
{
    if (me.checks)
        me.run->async_copy(me, to, from, bytes, valid, copy_queue::tiles);
    else if (valid)
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    else
        std::memset(to, 0, static_cast<std::size_t>(bytes));
}

/// The most bytes, a power of two up to 16, that both places are aligned to and that are left.
inline int bytes_at_once(std::uint64_t a, std::uint64_t b, std::uint64_t left)
{
    int bytes = 16;
    while (((a | b) & static_cast<std::uint64_t>(bytes - 1)) != 0 || static_cast<std::uint64_t>(bytes) > left)
        bytes /= 2;
    return bytes;
}
} // namespace detail

/// Starts to load a tile with gfx1250's tensor data mover, as its descriptor says. Elements past the matrix become
/// zero; padding keeps its contents. As with asynchronous copies, the bytes arrive at the wait, wait_for_tiles(). Every
/// lane of the wave calls it with the same descriptor.
inline void load_tile(const tensor_tile_words& d, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    for (std::uint32_t word : d.group0)
        uniform(static_cast<int>(word), where);
    for (std::uint32_t word : d.group1)
        uniform(static_cast<int>(word), where);
    if (me.checks)
        me.run->uniform(me, 0, start_of_tile);
    const tensor_tile t = decode(d);
    if (const char* problem = find_problem(t))
        fail(problem, "see tensor_tile, which says what a request may be", where);
    const auto ranks = static_cast<std::uint32_t>(me.block->cluster_blocks());
    if (t.blocks != 0 && (ranks == 1 || t.blocks >> ranks != 0 || (t.blocks >> me.block->rank & 1) == 0))
        fail("a tile for blocks of a cluster that are not there, or not for the block that asks for it",
             "name ranks of the cluster, this block's among them, or none", where);
    if (t.blocks != 0 && me.checks && lane_id() == 0)
        me.run->async().share_tile(me, d);
    const std::uint64_t element = static_cast<std::uint64_t>(t.element_bytes);
    const std::uint64_t row_bytes = t.tile_columns * element;
    const std::uint64_t inside = t.columns < t.tile_columns ? t.columns * element : row_bytes;
    // Lanes share the rows, for the emulation only; `packed` is the place in the tile without padding.
    for (std::uint32_t row = static_cast<std::uint32_t>(lane_id()); row < t.tile_rows;
         row += static_cast<std::uint32_t>(me.wave->lanes))
        for (std::uint64_t at = 0; at < row_bytes;) {
            const std::uint64_t packed = row * row_bytes + at;
            const std::uint64_t run = t.pad_interval == 0 ? row_bytes - at : t.pad_interval - packed % t.pad_interval;
            const std::uint64_t to =
                t.shared + packed + (t.pad_interval == 0 ? 0 : packed / t.pad_interval * t.pad_bytes);
            const std::uint64_t from = t.global + row * t.row_stride * element + at;
            const bool valid = row < t.rows && at < inside;
            std::uint64_t left = row_bytes - at < run ? row_bytes - at : run;
            left = at < inside && inside - at < left ? inside - at : left;
            const int bytes = detail::bytes_at_once(to, from, left);
            detail::copy_of_tile(me, shared_memory() + to, reinterpret_cast<const std::byte*>(from), bytes, valid);
            at += static_cast<std::uint64_t>(bytes);
        }
    if (me.checks)
        me.run->async_commit(me, copy_queue::tiles);
}

/// Returns when at most `Tiles` of the wave's newest tiles are in flight. The counter is the wave's: every lane calls
/// this, and may read the tiles then.
template <int Tiles>
inline void wait_for_tiles(call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (!me.checks)
        return;
    me.run->async_wait(me, Tiles, copy_queue::tiles);
    if (detail::gather(me, "wait_for_tiles", operation_kind::wave_barrier, where))
        me.run->order_lanes(me);
}

} // namespace tegula::emulator
