#pragma once

#include <tegula/block/output_stage.hpp>
#include <tegula/block/staged_chunk.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/kernel/gemm/epilogue/check.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula {

/// Starts to copy a staged chunk to (row, column) of matrix `batch` of the map, as a group. Source::layout is its layout.
/// Called by one lane.
template <class Source, class C>
TEGULA_INLINE void store_staged(const tensor_map& map, index_t row, index_t column, index_t batch, const C* slot)
{
    constexpr tma_swizzled_layout_value layout = Source::layout;
    static_for<layout.panels()>([&](auto p) {
        arch::nvidia::tensor_store(map, array<int, 3>{column + p * layout.panel_columns(), row, batch},
                                   slot + p * layout.rows * layout.panel_columns());
    });
    arch::nvidia::bulk_commit();
}

/// Starts to copy the chunk at (row, column) of matrix `batch` of the map to `slot`, counted at `full`.
template <class Source, class C>
TEGULA_INLINE void load_staged(C* slot, const tensor_map& map, index_t row, index_t column, index_t batch,
                               arch::nvidia::mbarrier* full)
{
    constexpr tma_swizzled_layout_value layout = Source::layout;
    static_for<layout.panels()>([&](auto p) {
        arch::nvidia::tensor_load(slot + p * layout.rows * layout.panel_columns(), map,
                                  array<int, 3>{column + p * layout.panel_columns(), row, batch}, full);
    });
}

/// Copies a chunk of C to (row, column) of matrix `batch` of the map, by way of one of `Slots` slots of `pitch` bytes
/// at `memory`. While write(slot) fills one, the others are copied. Source::layout is the chunk's layout in a slot.
/// Called by a whole warpgroup; `number` counts the chunks that it has copied.
TEGULA_CALLS_BACK
template <class Target, class Source, class C, int Slots, class Write>
TEGULA_INLINE void copy_staged(const tensor_map& map, index_t row, index_t column, index_t batch, std::byte* memory,
                               index_t pitch, int number, const Write& write)
{
    auto* const slot = reinterpret_cast<C*>(memory + number % Slots * pitch);
    const bool copies = Target::wave_id() == 0 && Target::lane_id() == 0;
    if (copies)
        arch::nvidia::bulk_wait_read<Slots - 1>();
    Target::block_barrier();
    write(slot);
    arch::nvidia::fence_proxy_async();
    Target::block_barrier();
    if (copies)
        store_staged<Source>(map, row, column, batch, slot);
}

/// The accumulators of a consumer warpgroup on their way to C, in chunks of some columns of the instruction. The
/// epilogue works on them in the registers where they are. Then they go by shared memory and tensor copies, or straight
/// to memory if tensor copies cannot address it.
///
///   Tile   a warp_specialized_tile; Atom: its instruction; C: element type of the result
///   Slots  staged chunks: while one is written the others are copied
template <class Tile, class Atom, class C, int Slots>
struct warpgroup_output
{
    using target = warpgroup<typename Tile::target>;
    using value_type = typename Tile::accumulator_type;
    static constexpr int size = static_cast<int>(sizeof(C));
    static constexpr int slots = Slots;

private:
    /// Columns of the instruction per chunk: a line of 128 bytes, at most 64, or 64 if they become rows of C. At
    /// most 32 if the accumulators leave few registers for the epilogue.
    static consteval index_t chunk_columns()
    {
        index_t n = Tile::transposed || size == 1 ? 64 : 128 / size;
        if (Tile::accumulators >= 128 && n > 32)
            n = 32;
        while (Atom::n % n != 0)
            n /= 2;
        // Blocks that share k own the same number of chunks, if these stay as wide as rows of C are copied well.
        constexpr index_t least = Tile::transposed ? 8 : 16;
        index_t even = n;
        while (Tile::iterations * (Atom::n / even) % Tile::k_shares != 0 && even >= 2 * least)
            even /= 2;
        return Tile::iterations * (Atom::n / even) % Tile::k_shares == 0 ? even : n;
    }

public:
    static constexpr index_t chunk = chunk_columns();
    static constexpr int chunks = static_cast<int>(Atom::n / chunk);
    static constexpr index_t rows = Tile::transposed ? chunk : 64;    ///< of C
    static constexpr index_t columns = Tile::transposed ? 64 : chunk; ///< of C

private:
    using chunk_atom = wgmma_atom<typename Tile::target, typename Tile::left_type, typename Tile::right_type,
                                  value_type, static_cast<int>(chunk), Atom::order_a, Atom::order_b>;

public:
    /// A chunk of a matrix of T that has C's shape.
    template <class T>
    using chunk_of = staged_chunk<target, chunk_atom, T, Tile::transposed>;

private:
    using staging = chunk_of<C>;
    using distribution = typename staging::distribution;

public:
    using tile_type = distributed_tensor<value_type, distribution>; ///< a chunk of the accumulators
    static constexpr index_t bytes = slots * staging::bytes;        ///< per warpgroup, aligned to 1024 bytes

    /// The map of a matrix of C.
    static constexpr tensor_map_parameters parameters(const tensor_lines& c) { return staging::parameters(c); }

    /// The consumer's first row, as the instruction counts rows, in the block's tile.
    static TEGULA_INLINE index_t first_row(int consumer)
    {
        return Tile::mode == consumer_mode::cooperative ? consumer * static_cast<index_t>(Tile::consumer_rows) : 0;
    }
    /// (row, column) of a consumer's chunk in the block's tile of C.
    static TEGULA_INLINE array<index_t, 2> place(int consumer, int iteration, int number)
    {
        const index_t along = first_row(consumer) + 64 * iteration, across = number * chunk;
        return Tile::transposed ? array<index_t, 2>{across, along} : array<index_t, 2>{along, across};
    }

    /// The window of the chunk at (row, column) in a view of C.
    template <class View>
    static TEGULA_INLINE auto window(const View& view, index_t row, index_t column)
    {
        return make_tile_window<distribution>(view, {row, column});
    }

    /// Calls f(iteration, chunk, tile) for every chunk of the accumulators of several instructions. One loop with one
    /// body: an epilogue for each would take the compiler minutes.
    TEGULA_CALLS_BACK
    template <int Iterations, class F>
    static TEGULA_INLINE void for_each_chunk(const array<typename Atom::accumulators, Iterations>& acc, const F& f)
    {
        TEGULA_ROLLED
        for (int piece = 0; piece < Iterations * chunks; ++piece) {
            tile_type tile;
            copy_chunk<0, Iterations * chunks>(tile, acc, piece);
            f(piece / chunks, piece % chunks, tile);
        }
    }

    /// Chunk `piece` of the accumulators of several instructions.
    template <int Iterations>
    static TEGULA_INLINE auto find_chunk(const array<typename Atom::accumulators, Iterations>& acc, int piece)
    {
        tile_type tile;
        copy_chunk<0, Iterations * chunks>(tile, acc, piece);
        return tile;
    }

    /// Copies a chunk to (row, column) of matrix `batch` of the map, by way of `memory`, `Bytes` bytes of this
    /// warpgroup. `number` counts the chunks that this warpgroup has copied. Outputs of several types can take turns in
    /// the same memory if `Bytes` is the size of the largest, so that all have the same slots.
    template <index_t Bytes, class Tensor>
    static TEGULA_INLINE void copy(const Tensor& tile, const tensor_map& map, index_t row, index_t column,
                                   index_t batch, std::byte* memory, int number)
    {
        static_assert(Bytes >= bytes, "the memory holds every slot");
        copy_staged<target, staging, C, slots>(map, row, column, batch, memory, Bytes / slots, number,
                                               [&](C* slot) { staging::write(slot, tile); });
    }
    /// Called by every consumer before it returns: waits until the staged chunks have been read.
    static TEGULA_INLINE void drain() { arch::nvidia::bulk_wait_read<0>(); }

private:
    /// tile = chunk `piece` of the accumulators, one of those in [First, Last).
    template <int First, int Last, class Accumulators>
    static TEGULA_INLINE void copy_chunk(tile_type& tile, const Accumulators& acc, int piece)
    {
        if constexpr (Last - First <= 2) {
            constexpr int count = chunk_atom::c_count, other = Last - 1;
            static_for<count>([&](auto r) {
                const auto& first = acc[First / chunks][First % chunks * count + r];
                tile[r] = piece == First ? first : acc[other / chunks][other % chunks * count + r];
            });
            target::keep_branch(); // else every value is selected among all chunks
        } else {
            constexpr int middle = (First + Last) / 2;
            if (piece < middle)
                copy_chunk<First, middle>(tile, acc, piece);
            else
                copy_chunk<middle, Last>(tile, acc, piece);
        }
    }
};

} // namespace tegula
