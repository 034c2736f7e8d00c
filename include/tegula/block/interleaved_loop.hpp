#pragma once

#include <tegula/block/multistage_loop.hpp>
#include <tegula/block/operand_pipeline.hpp>

namespace tegula {

/// The k loop of a GEMM block with one wave a SIMD: the wave itself keeps the matrix unit busy, because every memory
/// instruction of a step stands between matrix instructions that do not wait for it.
///
/// During step s the wave multiplies fragments it already holds and starts loading tile s + 3 to registers. It reads
/// the fragments of s + 1 from the ring, and it stores tile s + 2, loaded a step ago, to the slot of s, whose readers
/// are done. One barrier a step. The compiler's scheduling groups interleave the instructions: the memory instructions
/// are spread evenly over the matrix instructions.
///
/// Needs a ring of two stages.
template <class Tile, operand_order OrderA, operand_order OrderB>
struct interleaved_loop
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using pipeline_type = operand_pipeline<Tile, OrderA, OrderB>;
    using fragments = typename pipeline_type::fragments;

    static_assert(Tile::stages == 2 && !pipeline_type::asynchronous,
                  "tegula: the interleaved schedule needs two stages and loads through registers");

    static constexpr bool turns_one = OrderA != operand_order::k_contiguous || OrderB != operand_order::k_contiguous;
    static constexpr bool turns_both = OrderA != operand_order::k_contiguous && OrderB != operand_order::k_contiguous;
    /// Whether a step stores tile s + 2 before it loads s + 3, so that one tile is in flight instead of two. It does so
    /// on CDNA if operands are transposed and either fragments take 192 registers (fp8 on gfx950) or both operands are
    /// words: clang 22 then has no registers for two tiles.
    static constexpr bool holds_one_tile =
        target::wave_size == 64 &&
        ((turns_one && Tile::accumulator_registers + Tile::operand_registers > Tile::lane_registers - 128) ||
         (turns_both && sizeof(typename Tile::a_type) == 4));

    /// As multistage_loop::run().
    template <class ASource, class BSource>
    static TEGULA_INLINE void run(typename mma::accumulators& acc, const ASource& a_source, const BSource& b_source,
                                  index_t m0, index_t n0, std::byte* memory)
    {
        pipeline_type ring(a_source, b_source, m0, n0, memory);
        if (ring.steps == 0)
            return;
        TEGULA_ROLLED
        for (index_t step = 0; step < 3; ++step) {
            ring.load_stage(step % 2, step);
            if (step < 2)
                ring.store_stage(step, step);
        }
        target::shared_barrier();
        fragments even;
        fragments odd;
        ring.read(even, 0);

        index_t step = 0;
        for (; step + 5 <= ring.whole_steps; step += 2) {
            whole_step<0>(acc, ring, even, odd);
            whole_step<1>(acc, ring, odd, even);
        }
        for (; step < ring.steps; step += 2) {
            any_step(acc, ring, even, odd, step);
            if (step + 1 < ring.steps)
                any_step(acc, ring, odd, even, step + 1);
        }
    }

private:
    template <int Slot>
    static TEGULA_INLINE void whole_step(typename mma::accumulators& acc, pipeline_type& ring, const fragments& now,
                                         fragments& next)
    {
        target::shared_barrier();
        if constexpr (holds_one_tile) {
            ring.store_whole_stage(Slot);
            ring.load_whole_stage(Slot);
            ring.read(next, 1 - Slot);
        } else {
            const typename pipeline_type::held_tiles held = ring.hold();
            ring.load_whole_stage(Slot);
            ring.read(next, 1 - Slot);
            ring.store_held_stage(Slot, held);
        }
        pipeline_type::multiply(acc, now);
        interleave();
        target::scheduling_barrier();
    }

    static TEGULA_INLINE void any_step(typename mma::accumulators& acc, pipeline_type& ring, const fragments& now,
                                       fragments& next, index_t step)
    {
        target::shared_barrier();
        if (step + 1 < ring.steps)
            ring.read(next, (step + 1) % 2);
        ring.store_stage(step % 2, step + 2);
        ring.load_stage(step % 2, step + 3);
        pipeline_type::multiply(acc, now);
    }

    /// Spreads the memory instructions of a step over its matrix instructions: global loads first, shared stores (of a
    /// tile loaded a step ago) last. If holds_one_tile, stores come first to free the registers of the loads.
    static TEGULA_INLINE void interleave()
    {
        using a_loader = typename pipeline_type::a_loader;
        using b_loader = typename pipeline_type::b_loader;
        constexpr int matrix = Tile::slices * mma::calls * mma::iterations_m * mma::iterations_n;
        constexpr int reads =
            Tile::slices * (a_loader::read_window::plan::accesses + b_loader::read_window::plan::accesses);
        constexpr int writes = a_loader::write_window::plan::accesses + b_loader::write_window::plan::accesses;
        constexpr int loads = a_loader::global_window::plan::accesses + b_loader::global_window::plan::accesses;
        constexpr int each = matrix / (reads + writes + loads) > 0 ? matrix / (reads + writes + loads) : 1;
        using arch::amd::schedule_class;
        constexpr int stores_first = holds_one_tile ? writes : 0;
        schedule<each, schedule_class::shared_store>(std::make_integer_sequence<int, stores_first>{});
        schedule<each, schedule_class::global_load>(std::make_integer_sequence<int, loads>{});
        schedule<each, schedule_class::shared_load>(std::make_integer_sequence<int, reads>{});
        schedule<each, schedule_class::shared_store>(std::make_integer_sequence<int, writes - stores_first>{});
    }
    template <int Each, arch::amd::schedule_class Class, int... Is>
    static TEGULA_INLINE void schedule(std::integer_sequence<int, Is...>)
    {
        ((static_cast<void>(Is), target::template schedule_group<Each, Class>()), ...);
    }
};

/// The schedule of a gemm_tile that runs interleaved_loop.
struct interleaved
{
    static consteval int slices_held(int slices) { return 2 * slices; }
    static constexpr int tiles_held = 2;
    static constexpr index_t promote_k = 0;
    static constexpr int cluster_blocks = 1;

    /// CDNA has no registers for two steps' fragments if both operands are bytes and transposed: clang 22 moves a dozen
    /// between register files. These products take multistage, a fifth fewer instructions, unless holds_one_tile.
    template <class Tile, operand_order OrderA, operand_order OrderB,
              class Loop = interleaved_loop<Tile, OrderA, OrderB>>
    using loop = std::conditional_t<Tile::target::wave_size == 64 && sizeof(typename Tile::a_type) == 1 &&
                                        Loop::turns_both && !Loop::holds_one_tile,
                                    multistage_loop<Tile, OrderA, OrderB>, Loop>;
};

} // namespace tegula
