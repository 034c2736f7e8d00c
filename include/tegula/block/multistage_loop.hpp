#pragma once

#include <tegula/block/operand_stream.hpp>

namespace tegula {

/// The k loop of a GEMM block with a ring of stages in shared memory: global memory runs Stages - 1 tiles of k ahead of
/// the matrix instructions, shared memory one slice of k ahead.
///
///   Tile            a gemm_tile
///   OrderA, OrderB  how the operands lie in memory; with `any` they are read element by element
template <class Tile, operand_order OrderA, operand_order OrderB>
struct multistage_loop
{
    using target = typename Tile::target;
    using a_type = typename Tile::a_type;
    using b_type = typename Tile::b_type;
    using a_stream = typename Tile::template a_stream<OrderA>;
    using b_stream = typename Tile::template b_stream<OrderB>;
    using mma = typename Tile::mma;

    /// acc += A[m0 ..., :] B[n0 ..., :]^T over the whole k of the sources, which agree in it.
    ///
    /// memory  Tile::shared_bytes<OrderA, OrderB>() bytes of shared memory that no lane still reads
    static TEGULA_INLINE void run(typename mma::accumulators& acc, const operand_source<a_type>& a_source,
                                  const operand_source<b_type>& b_source, index_t m0, index_t n0, std::byte* memory)
    {
        auto* ring_a = reinterpret_cast<a_type*>(memory);
        auto* ring_b = reinterpret_cast<b_type*>(ring_a + Tile::stages * a_stream::tile_elements);
        a_stream a(a_source, m0, ring_a); // [block_m, block_k] a stage
        b_stream b(b_source, n0, ring_b); // [block_n, block_k] a stage

        const index_t steps = (a_source.k + Tile::block_k - 1) / Tile::block_k;
        const bool whole = a.has_whole_tiles() && b.has_whole_tiles();
        const index_t whole_steps = whole ? a_source.k / Tile::block_k : 0;

        TEGULA_ROLLED
        for (index_t step = 0; step < Tile::stages - 1; ++step) {
            fetch(a, b, step, step, steps, whole_steps);
            publish(a, b, step, step < steps);
        }
        // As long as whole tiles are fetched, rounds of `unroll` steps whose slots are known at compile time.
        index_t step = 0;
        for (; step + Tile::stages - 1 + unroll <= whole_steps; step += unroll)
            static_for<unroll>([&](auto u) {
                const index_t now = unroll > 1 ? static_cast<index_t>(u) : step % Tile::stages;
                const index_t ahead = (now + Tile::stages - 1) % Tile::stages;
                begin_step();
                a.fetch(ahead);
                b.fetch(ahead);
                commit();
                multiply(acc, a, b, now);
                a.publish(ahead);
                b.publish(ahead);
            });
        for (; step < steps; ++step) {
            const index_t next = step + Tile::stages - 1;
            begin_step();
            fetch(a, b, next % Tile::stages, next, steps, whole_steps);
            multiply(acc, a, b, step % Tile::stages);
            publish(a, b, next % Tile::stages, next < steps);
        }
    }

private:
    static constexpr bool asynchronous = a_stream::asynchronous || b_stream::asynchronous;

    // Slots known at compile time save the address arithmetic of AMD's shared memory; elsewhere a copy of the round is
    // not worth its size.
    static constexpr int unroll = a_stream::buffered && b_stream::buffered ? Tile::stages : 1;

    /// Waits until the oldest stage has arrived for every wave, and all waves are done with the slot before it.
    static TEGULA_INLINE void begin_step()
    {
        if constexpr (asynchronous)
            target::template async_wait<Tile::stages - 2>();
        target::block_barrier();
    }

    static TEGULA_INLINE void commit()
    {
        if constexpr (asynchronous)
            target::async_commit();
    }

    /// Starts step `step` where there is one.
    static TEGULA_INLINE void fetch(a_stream& a, b_stream& b, int slot, index_t step, index_t steps,
                                    index_t whole_steps)
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

    static TEGULA_INLINE void publish(a_stream& a, b_stream& b, int slot, bool exists)
    {
        if (exists) {
            a.publish(slot);
            b.publish(slot);
        }
    }

    /// acc += the stage in `slot`; the registers of the next slice are loaded while one is multiplied.
    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, const a_stream& a, const b_stream& b, int slot)
    {
        auto a_slice = a.template read<0>(slot);
        auto b_slice = b.template read<0>(slot);
        static_for<Tile::slices - 1>([&](auto slice) {
            auto a_next = a.template read<(slice + 1) * mma::slice_k>(slot);
            auto b_next = b.template read<(slice + 1) * mma::slice_k>(slot);
            mma::multiply(acc, a_slice, b_slice);
            a_slice = a_next;
            b_slice = b_next;
        });
        mma::multiply(acc, a_slice, b_slice);
    }
};

/// The schedule of a gemm_tile that runs multistage_loop.
struct multistage
{
    template <class Tile, operand_order OrderA, operand_order OrderB>
    using loop = multistage_loop<Tile, OrderA, OrderB>;
};

} // namespace tegula
