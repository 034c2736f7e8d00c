#pragma once

#include <tegula/block/operand_pipeline.hpp>

namespace tegula {

/// The k loop of a GEMM block whose waves form two halves that swap roles: while one half is in its matrix cluster, the
/// other reads and writes memory. With two waves a SIMD, one of each half, the matrix unit and the memory pipes are
/// both busy. (The schedule is known as 8-wave ping-pong.)
///
/// For each slice of a step one half does this:
///   memory cluster  read the slice from the ring; at the first slice store the next tile to the ring and start loading
///                   the one after it
///   barrier
///   matrix cluster  multiply, at raised priority
///   barrier
/// The second half is one barrier behind. A slot is overwritten one cluster after the other half has read its last
/// slice, whose registers have arrived before the barrier in between.
///
/// Needs a ring of two stages and an even number of waves.
template <class Tile, operand_order OrderA, operand_order OrderB>
struct ping_pong_loop
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using pipeline_type = operand_pipeline<Tile, OrderA, OrderB>;
    using fragments = typename pipeline_type::slice_fragments;

    static_assert(
        Tile::stages == 2 && mma::waves % 2 == 0 && !pipeline_type::asynchronous,
        "tegula: the ping_pong schedule needs two stages, an even number of waves and loads through registers");

    /// As multistage_loop::run().
    template <class ASource, class BSource>
    static TEGULA_INLINE void run(typename mma::accumulators& acc, const ASource& a_source, const BSource& b_source,
                                  index_t m0, index_t n0, std::byte* memory)
    {
        pipeline_type ring(a_source, b_source, m0, n0, memory);
        const bool second_half = target::wave_id() >= mma::waves / 2;

        ring.load_stage(0, 0);
        ring.store_stage(0, 0);
        ring.load_stage(1, 1);
        target::shared_barrier();
        if (second_half)
            target::shared_barrier();

        index_t step = 0;
        for (; step + 4 <= ring.whole_steps; step += 2)
            static_for<2>([&](auto now) {
                run_step(acc, ring, now, [&] {
                    ring.store_whole_stage(1 - now);
                    if constexpr (target::pins_registers)
                        target::scheduling_barrier();
                    ring.load_whole_stage(now);
                });
            });
        // Loading a ragged tile needs registers that fragments do not take yet here.
        for (; step < ring.steps; ++step) {
            ring.store_stage((step + 1) % 2, step + 1);
            ring.load_stage(step % 2, step + 2);
            run_step(acc, ring, step % 2, [] {});
        }

        if (!second_half)
            target::shared_barrier();
    }

private:
    /// The clusters of the step in `slot`. In the first one, move() moves other tiles.
    template <class Move>
    static TEGULA_INLINE void run_step(typename mma::accumulators& acc, const pipeline_type& ring, int slot,
                                       const Move& move)
    {
        static_for<Tile::slices>([&](auto slice) {
            fragments f;
            ring.template read<slice>(f, slot);
            if constexpr (slice == 0)
                move();
            multiply(acc, f);
        });
    }

    /// The matrix cluster between its barriers.
    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, fragments& f)
    {
        target::shared_barrier();
        target::scheduling_barrier();
        target::template set_priority<1>();
        // If A's rows are transposed, and B's too or A has 16 bits, that needs the registers settling takes.
        constexpr bool settles = OrderA == operand_order::k_contiguous ||
                                 (OrderB == operand_order::k_contiguous && sizeof(typename Tile::a_type) == 1);
        if constexpr (!target::pins_registers || settles)
            pipeline_type::make_opaque(f);
        pipeline_type::multiply(acc, f);
        if constexpr (target::pins_registers)
            for (auto& c : acc.tiles)
                target::pin(c);
        target::template set_priority<0>();
        target::scheduling_barrier();
        target::shared_barrier();
    }
};

/// The schedule of a gemm_tile that runs ping_pong_loop.
struct ping_pong
{
    static consteval int slices_held(int) { return 1; }
    static constexpr int tiles_held = 2;
    static constexpr index_t promote_k = 0;
    static constexpr int cluster_blocks = 1;

    template <class Tile, operand_order OrderA, operand_order OrderB>
    using loop = ping_pong_loop<Tile, OrderA, OrderB>;
};

} // namespace tegula
