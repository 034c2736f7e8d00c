#pragma once

#include <tegula/block/direct_column_loader.hpp>
#include <tegula/block/half_k.hpp>
#include <tegula/block/ldmatrix_loader.hpp>
#include <tegula/block/operand_pipeline.hpp>
#include <tegula/block/ping_pong_loop.hpp>

namespace tegula {

/// A ping_pong_loop whose tiles come straight into the ring: no registers hold them, and only the slices of a tile move
/// between shared memory and registers. For operands that direct_operands has loaders for.
///
/// One half of the waves does this for each slice of a step; the other half is one barrier behind:
///   memory cluster  at the first slice start the next tile, whose slot the other half has left; read the slice
///   barrier         of the last slice: the tile that this step started is here
///   matrix cluster  multiply, at raised priority
///   barrier
///
/// Needs a ring of two stages and an even number of waves.
template <class Tile, operand_order OrderA, operand_order OrderB>
struct direct_ping_pong_loop
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using pipeline_type = operand_pipeline<direct_operands<Tile>, OrderA, OrderB>;
    using fragments = typename pipeline_type::slice_fragments;

    static_assert(Tile::stages == 2 && mma::waves % 2 == 0,
                  "tegula: the direct_ping_pong schedule needs two stages and an even number of waves");
    static_assert(reads_without_conflicts<typename pipeline_type::a_loader> &&
                  reads_without_conflicts<typename pipeline_type::b_loader>);
    /// Loads per wave for a tile of both operands.
    static constexpr int loads = pipeline_type::a_loader::loads + pipeline_type::b_loader::loads;

    /// As multistage_loop::run().
    template <class ASource, class BSource>
    static TEGULA_INLINE void run(typename mma::accumulators& acc, const ASource& a_source, const BSource& b_source,
                                  index_t m0, index_t n0, std::byte* memory)
    {
        pipeline_type ring(a_source, b_source, m0, n0, memory);
        const bool second_half = target::wave_id() >= mma::waves / 2;

        ring.load_stage(0, 0);
        target::template direct_barrier<0>();
        if (second_half)
            target::template direct_barrier<0>();

        index_t step = 0;
        for (; step + 3 <= ring.whole_steps; step += 2)
            static_for<2>([&](auto now) { run_step(acc, ring, now, [&] { ring.load_whole_stage(1 - now); }); });
        for (; step < ring.steps; ++step)
            run_step(acc, ring, step % 2, [&] { ring.load_stage((step + 1) % 2, step + 1); });

        if (!second_half)
            target::template direct_barrier<0>();
    }

private:
    /// The clusters of the step in `slot`. In the first one, start() starts another tile.
    template <class Start>
    static TEGULA_INLINE void run_step(typename mma::accumulators& acc, const pipeline_type& ring, int slot,
                                       const Start& start)
    {
        static_for<Tile::slices>([&](auto slice) {
            fragments f;
            if constexpr (slice == 0)
                start();
            ring.template read<slice>(f, slot);
            target::template direct_barrier<slice + 1 < Tile::slices ? loads : 0>();
            multiply(acc, f);
        });
    }

    /// The matrix cluster and the barrier after it.
    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, fragments& f)
    {
        target::scheduling_barrier();
        target::template set_priority<1>();
        pipeline_type::make_opaque(f);
        pipeline_type::multiply(acc, f);
        for (auto& c : acc.tiles)
            target::pin(c);
        target::template set_priority<0>();
        target::scheduling_barrier();
        target::template direct_barrier<loads>();
    }
};

/// The schedule of a gemm_tile that runs direct_ping_pong_loop if both operands come by direct loads. Otherwise it
/// runs ping_pong_loop: words along the rows are transposed in registers on their way, and these are enough for half
/// of the tile's k.
struct direct_ping_pong
{
    static consteval int slices_held(int) { return 1; }
    static constexpr int tiles_held = 1;
    static constexpr index_t promote_k = 0;
    static constexpr int cluster_blocks = 1;
    static constexpr bool loads_directly = true;

    template <class Tile, operand_order OrderA, operand_order OrderB>
    using loop =
        std::conditional_t<uses_direct_loads<typename Tile::a_type, Tile::block_m, OrderA> &&
                               uses_direct_loads<typename Tile::b_type, Tile::block_n, OrderB>,
                           direct_ping_pong_loop<Tile, OrderA, OrderB>, ping_pong_loop<half_k<Tile>, OrderA, OrderB>>;
};

} // namespace tegula
