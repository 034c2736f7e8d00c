#pragma once

#include <tegula/block/direct_column_loader.hpp>
#include <tegula/block/interleaved_loop.hpp>
#include <tegula/block/operand_pipeline.hpp>

namespace tegula {

/// The k loop of a block with one or two waves a SIMD whose tiles come straight into the ring. It is an interleaved_loop that
/// needs no registers for tiles in flight or for transposing rows: a step has 128 bytes of k, a wave 128 x 64 of C.
///
/// Step s multiplies in two halves, each with fragments that were read during the half before:
///   first half   read the second half's fragments, multiply the first's
///   barrier      all have read tile s, and tile s + 1 is here
///   second half  read the first fragments of s + 1, start tile s + stages towards the slot of s, multiply the second's
///
/// A tile has a step less than there are stages to arrive, about 2000 cycles. One barrier a step is enough. Reads come first:
/// the next half needs them.
///
/// Needs a ring of at least two stages and an even number of slices a stage.
template <class Tile, operand_order OrderA, operand_order OrderB>
struct direct_interleaved_loop
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using pipeline_type = operand_pipeline<direct_operands<Tile>, OrderA, OrderB>;
    using a_loader = typename pipeline_type::a_loader;
    using b_loader = typename pipeline_type::b_loader;

    static_assert(reads_without_conflicts<a_loader> && reads_without_conflicts<b_loader>);
    static constexpr int half = Tile::slices / 2; ///< slices in a half of a step
    static constexpr int stages = Tile::stages;
    static_assert(
        stages >= 2 && Tile::slices % 2 == 0,
        "tegula: the direct_interleaved schedule needs two stages and an even number of the instruction's k a stage");
    /// Loads per wave for a tile of both operands.
    static constexpr int loads = a_loader::loads + b_loader::loads;
    static_assert(Tile::stages * (a_loader::tile_elements * sizeof(typename Tile::a_type) +
                                  b_loader::tile_elements * sizeof(typename Tile::b_type)) <=
                  Tile::template shared_bytes<OrderA, OrderB>());

    using fragments = array<typename pipeline_type::slice_fragments, half>;

    /// As multistage_loop::run().
    template <class ASource, class BSource>
    static TEGULA_INLINE void run(typename mma::accumulators& acc, const ASource& a_source, const BSource& b_source,
                                  index_t m0, index_t n0, std::byte* memory)
    {
        pipeline_type ring(a_source, b_source, m0, n0, memory);
        if (ring.steps == 0)
            return;
        TEGULA_ROLLED
        for (int slot = 0; slot < stages; ++slot)
            ring.load_stage(slot, slot);
        if (ring.whole_steps < stages) // fewer loads are in flight than the next wait counts
            target::template direct_barrier<0>();
        target::template direct_barrier<(stages - 1) * loads>();
        fragments first;
        read<0>(first, ring, 0);

        index_t step = 0;
        for (; step + 2 * stages <= ring.whole_steps; step += stages)
            static_for<stages>([&](auto now) {
                run_step<(stages - 2) * loads>(acc, ring, first, now, [&] {
                    read<0>(first, ring, (now + 1) % stages);
                    ring.load_whole_stage(now);
                });
            });
        // The last tiles may come through registers or not exist, so that loads in flight are not counted. Registers for them
        // are there while no fragment is held.
        ring.a.forget_places();
        ring.b.forget_places();
        for (; step < ring.steps; ++step) {
            const int slot = step % stages;
            multiply(acc, first);
            read<half>(first, ring, slot);
            multiply(acc, first);
            target::template direct_barrier<0>();
            ring.load_stage(slot, step + stages);
            if (step + 1 < ring.steps)
                read<0>(first, ring, (step + 1) % stages);
        }
    }

private:
    /// A step whose tile is in `slot`, while `Pending` loads of the tile after the next may be in flight. go_on()
    /// reads the first half of the next tile and starts the one `stages` further.
    template <int Pending, class GoOn>
    static TEGULA_INLINE void run_step(typename mma::accumulators& acc, const pipeline_type& ring,
                                       const fragments& first, int slot, const GoOn& go_on)
    {
        fragments second;
        read<half>(second, ring, slot);
        multiply(acc, first);
        interleave<0>();

        target::scheduling_barrier();

        target::template direct_barrier<Pending>();
        go_on();
        multiply(acc, second);
        interleave<loads>();

        target::scheduling_barrier();
    }

    template <int First>
    static TEGULA_INLINE void read(fragments& f, const pipeline_type& ring, int slot)
    {
        static_for<half>([&](auto s) { ring.template read<First + s>(f[s], slot); });
    }

    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, const fragments& f)
    {
        static_for<half>([&](auto s) { pipeline_type::multiply(acc, f[s]); });
    }

    /// Puts the reads of a half and then its loads between its matrix instructions. The half ends with a wait for the
    /// reads, so that they come early: in its first half if it has no loads.
    template <int Loads>
    static TEGULA_INLINE void interleave()
    {
        constexpr int matrix = half * mma::calls * mma::iterations_m * mma::iterations_n;
        constexpr int reads = half * (a_loader::reads_of_slice + b_loader::reads_of_slice);
        constexpr int each = max(matrix / (2 * reads + Loads), 1);
        using arch::amd::schedule_class;
        static_for<reads>([&](auto) { target::template schedule_group<each, schedule_class::shared_load>(); });
        static_for<Loads>([&](auto) { target::template schedule_group<each, schedule_class::global_load>(); });
    }
};

/// The schedule of a gemm_tile that runs direct_interleaved_loop. Elements have 8 or 16 bits, or k is contiguous.
struct direct_interleaved
{
    static consteval int slices_held(int slices) { return slices; }
    static constexpr int tiles_held = 0;
    static constexpr index_t promote_k = 0;
    static constexpr int cluster_blocks = 1;
    static constexpr bool loads_directly = true;

    template <class Tile, operand_order OrderA, operand_order OrderB>
    using loop = direct_interleaved_loop<Tile, OrderA, OrderB>;
};

} // namespace tegula
