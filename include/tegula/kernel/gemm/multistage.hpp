#pragma once

#include <tegula/kernel/gemm/epilogue.hpp>
#include <tegula/kernel/gemm/tile.hpp>

namespace tegula {

/// GEMM with a ring of stages in shared memory: global memory runs Stages - 1 tiles of k ahead of the matrix
/// instructions, shared memory one slice of k ahead.
///
///   Tile            a gemm_tile
///   OrderA, OrderB  how the operands lie in memory; with `any` they are read element by element
///   C               element type of the result
///   Epilogue        what happens between the accumulator and C
///   VectorC         rows of C start at multiples of 16 bytes
///
/// One block computes one tile of C. block() is its body; grid size, block size and shared memory are below.
template <class Tile, operand_order OrderA, operand_order OrderB, class C, class Epilogue, bool VectorC>
struct multistage_gemm
{
    static_assert(Tile::template check<OrderA, OrderB>());

    using tile = Tile;
    using target = typename Tile::target;
    using a_type = typename Tile::a_type;
    using b_type = typename Tile::b_type;
    using c_type = C;
    using epilogue_type = Epilogue;
    using arguments = gemm_arguments<a_type, b_type, C, Epilogue>;
    using a_stream = typename Tile::template a_stream<OrderA>;
    using b_stream = typename Tile::template b_stream<OrderB>;
    using mma = typename Tile::mma;

    static constexpr operand_order order_a = OrderA;
    static constexpr operand_order order_b = OrderB;
    static constexpr bool vector_c = VectorC;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::template shared_bytes<OrderA, OrderB>();

    static constexpr TEGULA_HOST_DEVICE index_t tiles_m(const arguments& args)
    {
        return static_cast<index_t>((args.m + Tile::block_m - 1) / Tile::block_m);
    }
    static constexpr TEGULA_HOST_DEVICE index_t tiles_n(const arguments& args)
    {
        return static_cast<index_t>((args.n + Tile::block_n - 1) / Tile::block_n);
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return static_cast<long_index_t>(tiles_m(args)) * tiles_n(args) * args.batch;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const tile_position at = Tile::raster::position(target::block_id()[0], tiles_m(args), tiles_n(args));
        const index_t m0 = at.m * Tile::block_m;
        const index_t n0 = at.n * Tile::block_n;

        auto* ring_a = reinterpret_cast<a_type*>(target::shared_memory());
        auto* ring_b = reinterpret_cast<b_type*>(ring_a + Tile::stages * a_stream::tile_elements);
        a_stream a(a_source(args, at.batch), m0, ring_a); // [block_m, block_k] a stage
        b_stream b(b_source(args, at.batch), n0, ring_b); // [block_n, block_k] a stage
        typename mma::accumulators acc;                   // [block_m, block_n]
        acc.clear();

        const index_t steps = static_cast<index_t>((args.k + Tile::block_k - 1) / Tile::block_k);
        const bool whole = a.has_whole_tiles() && b.has_whole_tiles();
        const index_t whole_steps = whole ? static_cast<index_t>(args.k / Tile::block_k) : 0;

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

        Tile::output::store_through(args.epilogue, acc, c_window(args, at.batch, m0, n0), at.batch,
                                    target::shared_memory());
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

    static TEGULA_INLINE operand_source<a_type> a_source(const arguments& args, long_index_t batch)
    {
        return {args.a.data + batch * args.a.batch_stride,
                static_cast<index_t>(args.m),
                static_cast<index_t>(args.k),
                args.a.row_stride,
                args.a.column_stride,
                "A"};
    }

    static TEGULA_INLINE operand_source<b_type> b_source(const arguments& args, long_index_t batch)
    {
        return {args.b.data + batch * args.b.batch_stride,
                static_cast<index_t>(args.n),
                static_cast<index_t>(args.k),
                args.b.column_stride,
                args.b.row_stride,
                "B"};
    }

    static TEGULA_INLINE auto c_window(const arguments& args, long_index_t batch, index_t m0, index_t n0)
    {
        constexpr index_t promise = VectorC ? 16 / static_cast<index_t>(sizeof(C)) : 1;
        const auto view = make_tensor_view<target, address_space::global>(
            args.c.data + batch * args.c.batch_stride,
            make_strided_descriptor(make_tuple(static_cast<index_t>(args.m), static_cast<index_t>(args.n)),
                                    make_tuple(args.c.row_stride, constant<1>{}), constant<promise>{}),
            "C");
        return make_tile_window<typename Tile::output::pass_distribution>(view, {m0, n0});
    }
};

} // namespace tegula
