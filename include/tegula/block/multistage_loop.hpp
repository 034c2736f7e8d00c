#pragma once

#include <tegula/block/operand_pipeline.hpp>
#include <tegula/block/promoted_accumulators.hpp>

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
    using mma = typename Tile::mma;
    using pipeline_type = operand_pipeline<Tile, OrderA, OrderB>;

    /// acc += A[m0 ..., :] B[n0 ..., :]^T over the whole k of the sources. Precondition: both sources have the same k.
    ///
    /// acc     mma::accumulators, or a class derived from them. A derived class may replace end_step(), which is called after
    ///         each block_k of k, and multiply_slice<Slice>(), which multiplies a slice. If Tile::promote_k is not 0, sums of
    ///         so many k are added to mma::accumulators.
    /// memory  Tile::shared_bytes<OrderA, OrderB>() bytes of shared memory that no other lane is using
    template <class Accumulators, class ASource, class BSource>
    static TEGULA_INLINE void run(Accumulators& acc, const ASource& a_source, const BSource& b_source, index_t m0,
                                  index_t n0, std::byte* memory)
    {
        if constexpr (Tile::promote_k > 0 && std::is_same_v<Accumulators, typename mma::accumulators>) {
            promoted_accumulators<mma, Tile::block_k, Tile::promote_k> sums(acc);
            run_steps(sums, a_source, b_source, m0, n0, memory);
            sums.finish();
        } else {
            run_steps(acc, a_source, b_source, m0, n0, memory);
        }
    }

private:
    template <class Accumulators, class ASource, class BSource>
    static TEGULA_INLINE void run_steps(Accumulators& acc, const ASource& a_source, const BSource& b_source, index_t m0,
                                        index_t n0, std::byte* memory)
    {
        constexpr int stages = Tile::stages;
        constexpr int unroll = pipeline_type::unroll;
        pipeline_type ring(a_source, b_source, m0, n0, memory);

        // Steps before 0 only load tiles. One loop serves them and the last steps: the code for ragged tiles is long.
        TEGULA_ROLLED
        for (index_t step = 1 - stages; step < ring.steps; ++step) {
            // As long as whole tiles are loaded, rounds of `unroll` steps whose slots are known at compile time.
            if (step >= 0) {
                TEGULA_ROLLED
                for (; step + stages - 1 + unroll <= ring.whole_steps; step += unroll)
                    static_for<unroll>([&](auto u) {
                        const index_t now = unroll > 1 ? static_cast<index_t>(u) : step % stages;
                        const index_t ahead = (now + stages - 1) % stages;
                        ring.template wait<stages - 2>();
                        ring.load_whole_stage(ahead);
                        // Loads first and stores last, or the scheduler puts them side by side to save registers.
                        target::scheduling_barrier();
                        multiply(acc, ring, now);
                        target::scheduling_barrier();
                        ring.store_whole_stage(ahead);
                    });
            }
            const index_t next = step + stages - 1;
            if (step >= 0 || pipeline_type::waits_always)
                ring.template wait<stages - 2>(next - 1);
            ring.load_stage(next % stages, next);
            if (step >= 0)
                multiply(acc, ring, step % stages);
            ring.store_stage(next % stages, next);
        }
        ring.finish();
    }

    /// acc += the product of the stage in `slot`.
    template <class Accumulators>
    static TEGULA_INLINE void multiply(Accumulators& acc, const pipeline_type& ring, int slot)
    {
        if constexpr (Tile::atom::is_matrix_instruction && fills_registers)
            multiply_in_parts(acc, ring, slot);
        else if constexpr (Tile::atom::is_matrix_instruction)
            multiply_ahead(acc, ring, slot);
        else
            multiply_in_turn(acc, ring, slot);
        acc.end_step();
    }

    /// For atoms that are multiply-adds, a slice is many instructions. A loop that is not unrolled keeps the code
    /// small, and only the registers of one slice live.
    template <class Accumulators>
    static TEGULA_INLINE void multiply_in_turn(Accumulators& acc, const pipeline_type& ring, int slot)
    {
        TEGULA_ROLLED
        for (index_t k = 0; k < Tile::block_k; k += mma::slice_k)
            mma::multiply(acc, ring.a.read(slot, k), ring.b.read(slot, k));
    }

    /// Whether accumulators and a step's only slice leave no registers for operands on their way to the ring. Widened
    /// operands take three times their registers: their own, and twice as many for numbers of 16 bits.
    static constexpr bool fills_registers =
        Tile::slices == 1 && (OrderA != operand_order::k_contiguous || OrderB != operand_order::k_contiguous) &&
        Tile::accumulator_registers + static_cast<int>(sizeof(typename mma::a_slice) + sizeof(typename mma::b_slice)) /
                                          4 * (Tile::atom::widens_operands ? 3 : 1) >=
            Tile::lane_registers - 64;

    /// Registers hold half of the slice of B at a time, and the rows of one instruction of A.
    template <class Accumulators>
    static TEGULA_INLINE void multiply_in_parts(Accumulators& acc, const pipeline_type& ring, int slot)
    {
        constexpr int parts = mma::iterations_n % 2 == 0 ? 2 : 1;
        static_for<parts>([&](auto part) {
            const auto b_slice = ring.b.template read<0>(slot);
            static_for<mma::iterations_m>([&](auto i) {
                mma::template multiply_part<i, part, parts>(acc, ring.a.template read<0>(slot), b_slice);
                target::scheduling_barrier();
            });
        });
    }

    /// The registers of the next slice are loaded while one is multiplied.
    template <class Accumulators>
    static TEGULA_INLINE void multiply_ahead(Accumulators& acc, const pipeline_type& ring, int slot)
    {
        auto a_slice = ring.a.template read<0>(slot);
        auto b_slice = ring.b.template read<0>(slot);
        target::scheduling_barrier();
        static_for<Tile::slices - 1>([&](auto slice) {
            auto a_next = ring.a.template read<(slice + 1) * mma::slice_k>(slot);
            auto b_next = ring.b.template read<(slice + 1) * mma::slice_k>(slot);
            multiply_slice<slice>(acc, a_slice, b_slice);
            a_slice = a_next;
            b_slice = b_next;
        });
        multiply_slice<Tile::slices - 1>(acc, a_slice, b_slice);
    }

    template <int Slice, class Accumulators>
    static TEGULA_INLINE void multiply_slice(Accumulators& acc, typename mma::a_slice& a, typename mma::b_slice& b)
    {
        pipeline_type::make_opaque(a);
        pipeline_type::make_opaque(b);
        acc.template multiply_slice<Slice>(a, b);
    }
};

/// The schedule of a gemm_tile that runs multistage_loop.
struct multistage
{
    /// Slices of k whose operands a lane holds in registers at a time, in a step of `slices` slices. tiles_held: stages
    /// that are in registers on their way to the ring.
    static consteval int slices_held(int slices) { return slices < 2 ? slices : 2; }
    static constexpr int tiles_held = 1;
    /// After each promote_k of k, sums are added to a second set of accumulators; 0: never.
    static constexpr index_t promote_k = 0;
    static constexpr int cluster_blocks = 1; ///< blocks of a cluster that shares tiles

    template <class Tile, operand_order OrderA, operand_order OrderB>
    using loop = multistage_loop<Tile, OrderA, OrderB>;
};

/// multistage of transposed products: the columns of C are the instruction's rows.
struct transposed_multistage : multistage
{
    static constexpr bool transposes = true;
};

/// multistage that adds the sums of each 128 of k to a second set of accumulators, which takes twice the registers. See
/// truncated_sum_k.
struct promoted_multistage : multistage
{
    static constexpr index_t promote_k = 128;
};

/// The schedule of a gemm_tile that names none: sums are promoted if the instruction truncates them.
template <class Atom>
using default_multistage = std::conditional_t<Atom::truncates_sums, promoted_multistage, multistage>;

} // namespace tegula
