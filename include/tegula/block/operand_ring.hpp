#pragma once

#include <tegula/block/operand_stream.hpp>

namespace tegula {

namespace detail {
/// Whether the slices of a stream have the instruction's own order of k instead of the packed one.
template <class Stream>
inline constexpr bool has_instruction_order = requires { requires Stream::instruction_order; };
} // namespace detail

/// Both operands of a block on their way through a ring of Tile::stages tiles in shared memory: what the k loops of all
/// schedules are written with. A step is block_k of k; its tile goes to slot step % stages.
template <class Tile, operand_order OrderA, operand_order OrderB>
struct operand_ring
{
    using target = typename Tile::target;
    using a_type = typename Tile::a_type;
    using b_type = typename Tile::b_type;
    using a_stream = typename Tile::template a_stream<OrderA>;
    using b_stream = typename Tile::template b_stream<OrderB>;
    using mma = typename Tile::mma;

    static_assert(
        detail::has_instruction_order<a_stream> == detail::has_instruction_order<b_stream>,
        "tegula: ldmatrix reads one operand of the tile and cannot read the other, so that their k would come "
        "in different orders; use powers of two for the rows, k and waves of the block tile");

    static constexpr bool asynchronous = a_stream::asynchronous || b_stream::asynchronous;
    /// Slots known at compile time save the address arithmetic of AMD's shared memory; elsewhere a copy of the round is
    /// not worth its size.
    static constexpr int unroll = a_stream::buffered && b_stream::buffered ? Tile::stages : 1;

    /// The registers of one slice of both operands. Whole registers, because elements of 16 bits that live from step to
    /// step would be packed and unpacked each time.
    struct slice_fragments
    {
        array<std::uint32_t, sizeof(typename mma::a_slice) / 4> a;
        array<std::uint32_t, sizeof(typename mma::b_slice) / 4> b;
    };
    /// The registers of one step.
    using fragments = array<slice_fragments, Tile::slices>;

    a_stream a; ///< [block_m, block_k] a stage
    b_stream b; ///< [block_n, block_k] a stage
    index_t steps;
    index_t whole_steps; ///< the first steps, whose tiles are whole; 0 for a block at a ragged edge

    /// a_source, b_source: what the streams read, operand_source for operand_stream; they agree in k.
    /// memory: Tile::shared_bytes<OrderA, OrderB>() bytes of shared memory that no lane still reads.
    template <class ASource, class BSource>
    TEGULA_INLINE operand_ring(const ASource& a_source, const BSource& b_source, index_t m0, index_t n0,
                               std::byte* memory)
        : a(a_source, m0, reinterpret_cast<a_type*>(memory)),
          b(b_source, n0,
            reinterpret_cast<b_type*>(reinterpret_cast<a_type*>(memory) + Tile::stages * a_stream::tile_elements)),
          steps((a_source.k + Tile::block_k - 1) / Tile::block_k),
          whole_steps(a.has_whole_tiles() && b.has_whole_tiles() ? a_source.k / Tile::block_k : 0)
    {}

    /// Starts the next whole tile.
    TEGULA_INLINE void fetch_whole(int slot)
    {
        a.fetch(slot);
        b.fetch(slot);
        commit();
    }

    /// Starts step `step` where there is one, whole or not.
    TEGULA_INLINE void fetch(int slot, index_t step)
    {
        if (step < whole_steps) {
            a.fetch(slot);
            b.fetch(slot);
        } else if (step < steps) {
            a.fetch_edge(slot, step);
            b.fetch_edge(slot, step);
        }
        commit();
    }

    /// Completes what was fetched last. What was loaded last is stored first: one wait for all of it.
    TEGULA_INLINE void publish_whole(int slot)
    {
        b.publish(slot);
        a.publish(slot);
    }
    TEGULA_INLINE void publish(int slot, index_t step)
    {
        if (step < steps)
            publish_whole(slot);
    }

    /// What was fetched and not yet published, to be published after the next fetch.
    struct held_tiles
    {
        typename a_stream::staged_tile a;
        typename b_stream::staged_tile b;
    };
    TEGULA_INLINE held_tiles hold() const { return {a.staged, b.staged}; }
    TEGULA_INLINE void publish_held(int slot, const held_tiles& tiles) const
    {
        b.publish(slot, tiles.b);
        a.publish(slot, tiles.a);
    }

    /// Waits until all but the newest `Pending` steps have arrived for every wave, and all waves are here.
    template <int Pending>
    static TEGULA_INLINE void arrive()
    {
        if constexpr (asynchronous)
            target::template async_wait<Pending>();
        target::shared_barrier();
    }

    /// Slice `Slice` of the step in `slot`.
    template <int Slice>
    TEGULA_INLINE void read(slice_fragments& f, int slot) const
    {
        const auto a_slice = a.template read<Slice * mma::slice_k>(slot);
        const auto b_slice = b.template read<Slice * mma::slice_k>(slot);
        f.a = __builtin_bit_cast(decltype(f.a), a_slice);
        f.b = __builtin_bit_cast(decltype(f.b), b_slice);
    }
    TEGULA_INLINE void read(fragments& f, int slot) const
    {
        static_for<Tile::slices>([&](auto slice) { read<slice>(f[slice], slot); });
    }

    /// To be called on registers read from the ring before they are multiplied, where no step lies between. Bytes only:
    /// of two words of a vector that was loaded the compiler would make a load of 64 bits beside it.
    template <class Registers>
    static TEGULA_INLINE void settle(Registers& registers)
    {
        if constexpr (sizeof(a_type) == 1 && requires(std::uint32_t* x) { target::forget_load(x); }) {
            auto words = __builtin_bit_cast(array<std::uint32_t, sizeof(Registers) / 4>, registers);
            static_for<words.size() / 4>([&](auto v) { target::forget_load(&words[4 * v]); });
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
