#pragma once

#include <tegula/block/operand_loader.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

/// A loader moves an operand of a block to shared memory and from there to fragments: operand_loader, ldmatrix_loader,
/// dequantizing_loader. A stage is a tile of block_k of k.
///
///   load_stage(slot)             starts the next whole tile; load_edge_stage(slot, step) one at a ragged edge
///   store_stage(slot)            completes what was loaded last
///   read_words<K>(slot)          the registers of the slice at K of the tile in a slot
///   asynchronous, buffered       how it loads
///   instruction_order            whether slices have the instruction's own order of k instead of the packed one
///   by_tiles                     whether the tensor data mover loads the tiles
///   by_mbarriers                 whether mbarriers signal that a stage has arrived; wait_for_stage() waits for them
///   copies_of_stage              asynchronous copies that every lane starts for a whole tile; 0 if the number is unknown
template <class Loader>
concept block_operand_loader = requires(Loader& loader, const Loader& whole, int slot, index_t step) {
    typename Loader::staged_tile;
    {
        Loader::asynchronous || Loader::buffered || Loader::instruction_order || Loader::by_tiles ||
            Loader::by_mbarriers
    };
    { Loader::tile_elements + 0 };
    { Loader::copies_of_stage + 0 };
    loader.load_stage(slot);
    loader.load_edge_stage(slot, step);
    loader.store_stage(slot);
    { whole.has_whole_tiles() || false };
};

namespace detail {

template <class Loader>
struct is_an_operand_loader
{
    static_assert(block_operand_loader<Loader>,
                  "tegula: a_loader and b_loader of a tile load operands to the block; each is an operand_loader, an "
                  "ldmatrix_loader or another type with their members (the template argument lacks some of them)");
    static constexpr bool ok = true;
};
} // namespace detail

/// Both operands of a block on their way through a ring of Tile::stages tiles in shared memory. The k loops of all
/// schedules use it. A step is block_k of k; its tile goes to slot step % stages.
template <class Tile, operand_order OrderA, operand_order OrderB>
struct operand_pipeline
{
    using target = typename Tile::target;
    using a_type = typename Tile::a_type;
    using b_type = typename Tile::b_type;
    using a_loader = typename Tile::template a_loader<OrderA>;
    using b_loader = typename Tile::template b_loader<OrderB>;
    using mma = typename Tile::mma;

    static_assert(detail::is_an_operand_loader<a_loader>::ok && detail::is_an_operand_loader<b_loader>::ok);
    static_assert(
        a_loader::instruction_order == b_loader::instruction_order,
        "tegula: ldmatrix reads one operand of the tile and cannot read the other, so that their k would come "
        "in different orders; use powers of two for the rows, k and waves of the block tile");

    static constexpr bool asynchronous = a_loader::asynchronous || b_loader::asynchronous;
    /// Steps to unroll. Slots known at compile time save address arithmetic for AMD's shared memory; elsewhere this is
    /// not worth its code size.
    static constexpr int unroll = a_loader::buffered && b_loader::buffered ? Tile::stages : 1;
    /// Whether copies are waited for by their number. Then there is a wait in every round and one at the end, so that
    /// check_isa finds a wait on all paths to a read, whatever the branches' conditions are.
    static constexpr bool counts_copies = asynchronous && requires { target::template async_wait_newest<0>(); };
    /// Whether the tensor data mover copies tiles, each operand's by a wave of its own.
    static constexpr bool by_tiles = a_loader::by_tiles || b_loader::by_tiles;
    /// Whether blocks of a cluster may share tiles; then their steps go together, so that a slot is free in all of them.
    static constexpr bool shares_tiles = by_tiles && Tile::cluster_blocks > 1;
    /// Whether every round waits for what is counted.
    static constexpr bool waits_always = counts_copies || by_tiles;
    /// Copies that every lane starts for a whole step; 0 if a loader does not know.
    static constexpr int copies_of_step = [] {
        constexpr int a = a_loader::copies_of_stage, b = b_loader::copies_of_stage;
        return (a_loader::asynchronous && a == 0) || (b_loader::asynchronous && b == 0) ? 0 : a + b;
    }();

    /// The k of A in a stage. If operands are given in bytes, A's rows may have another number of bytes than B's.
    static constexpr index_t a_block_k = Tile::a_block_k;

    /// The registers of one slice of both operands. Whole registers, because elements of 16 bits that live from step to
    /// step would be packed and unpacked each time.
    struct slice_fragments
    {
        array<std::uint32_t, sizeof(typename mma::a_slice) / 4> a;
        array<std::uint32_t, sizeof(typename mma::b_slice) / 4> b;
    };
    /// The registers of one step.
    using fragments = array<slice_fragments, Tile::slices>;

    a_loader a; ///< [block_m, block_k] a stage
    b_loader b; ///< [block_n, block_k] a stage
    index_t steps;
    index_t whole_steps; ///< the first steps, whose tiles are whole; 0 for a block at a ragged edge

    /// a_source, b_source: what the loaders read, operand_source for operand_loader; they agree in k.
    /// memory: Tile::shared_bytes<OrderA, OrderB>() bytes of shared memory that no lane still reads.
    template <class ASource, class BSource>
    TEGULA_INLINE operand_pipeline(const ASource& a_source, const BSource& b_source, index_t m0, index_t n0,
                                   std::byte* memory)
        : a(a_source, m0, reinterpret_cast<a_type*>(memory)),
          b(b_source, n0,
            reinterpret_cast<b_type*>(reinterpret_cast<a_type*>(memory) + Tile::stages * a_loader::tile_elements)),
          steps(ceil_div(a_source.k, a_block_k)),
          whole_steps(a.has_whole_tiles() && b.has_whole_tiles() ? a_source.k / a_block_k : 0)
    {}

    /// Starts the next whole tile.
    TEGULA_INLINE void load_whole_stage(int slot)
    {
        a.load_stage(slot);
        b.load_stage(slot);
        commit();
    }

    /// Starts step `step` if there is one, whole or not.
    TEGULA_INLINE void load_stage(int slot, index_t step)
    {
        if (step < whole_steps) {
            a.load_stage(slot);
            b.load_stage(slot);
        } else if (step < steps) {
            a.load_edge_stage(slot, step);
            b.load_edge_stage(slot, step);
        }
        commit();
    }

    /// Completes what was loaded last. The newest load is stored first, so that one wait covers all of it.
    TEGULA_INLINE void store_whole_stage(int slot)
    {
        b.store_stage(slot);
        a.store_stage(slot);
    }
    TEGULA_INLINE void store_stage(int slot, index_t step)
    {
        if (step < steps)
            store_whole_stage(slot);
    }

    /// Tiles that were loaded and not yet stored, to be stored after the next load_stage.
    struct held_tiles
    {
        typename a_loader::staged_tile a;
        typename b_loader::staged_tile b;
    };
    TEGULA_INLINE held_tiles hold() const { return {a.staged, b.staged}; }
    TEGULA_INLINE void store_held_stage(int slot, const held_tiles& tiles) const
    {
        b.store_stage(slot, tiles.b);
        a.store_stage(slot, tiles.a);
    }

    /// Waits until all but the newest `Pending` steps, which are whole, have arrived for every wave, and all waves are
    /// here.
    template <int Pending>
    TEGULA_INLINE void wait()
    {
        if constexpr (a_loader::by_mbarriers)
            a.wait_for_stage(); // covers both operands
        if constexpr (by_tiles)
            target::template wait_for_tiles<Pending>();
        if constexpr (counts_copies)
            target::template async_wait_newest<min(Pending * copies_of_step, 63)>();
        else if constexpr (asynchronous)
            target::template async_wait<Pending>();
        if constexpr (shares_tiles)
            if ((a.operand.multicast_mask | b.operand.multicast_mask) != 0)
                return target::cluster_barrier();
        target::shared_barrier();
    }
    /// Waits if step `newest` was started last, whole or not. (The number of copies of a ragged step is not known.)
    template <int Pending>
    TEGULA_INLINE void wait(index_t newest)
    {
        if constexpr (waits_always && Pending > 0)
            if (newest >= whole_steps)
                finish();
        wait<Pending>();
    }

    /// After it nothing is in flight to the ring; after a barrier its memory may be used for something else.
    static TEGULA_INLINE void finish()
    {
        if constexpr (by_tiles)
            target::template wait_for_tiles<0>();
        if constexpr (counts_copies)
            target::template async_wait_newest<0>();
    }

    /// Slice `Slice` of the step in `slot`.
    template <int Slice>
    TEGULA_INLINE void read(slice_fragments& f, int slot) const
    {
        f.a = a.template read_words<Slice * mma::slice_k>(slot);
        f.b = b.template read_words<Slice * mma::slice_k>(slot);
    }
    TEGULA_INLINE void read(fragments& f, int slot) const
    {
        static_for<Tile::slices>([&](auto slice) { read<slice>(f[slice], slot); });
    }

    /// Call it on registers read from the ring that are multiplied in the same step. It acts on bytes only: the
    /// compiler would make a second load, of 64 bits, from two words of a vector that was loaded.
    template <class Registers>
    static TEGULA_INLINE void make_opaque(Registers& registers)
    {
        if constexpr (sizeof(a_type) == 1 && requires(std::uint32_t* x) { target::make_opaque(x); }) {
            auto words = __builtin_bit_cast(array<std::uint32_t, sizeof(Registers) / 4>, registers);
            static_for<words.size() / 4>([&](auto v) { target::make_opaque(&words[4 * v]); });
            registers = __builtin_bit_cast(Registers, words);
        }
    }

    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, const slice_fragments& f)
    {
        const auto& a_words = f.a;
        const auto& b_words = f.b;
        mma::multiply(acc, __builtin_bit_cast(typename mma::a_slice, a_words),
                      __builtin_bit_cast(typename mma::b_slice, b_words));
    }
    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, const fragments& f)
    {
        static_for<Tile::slices>([&](auto slice) { multiply(acc, f[slice]); });
    }

private:
    static TEGULA_INLINE void commit()
    {
        if constexpr (asynchronous)
            target::async_commit();
    }
};

} // namespace tegula
