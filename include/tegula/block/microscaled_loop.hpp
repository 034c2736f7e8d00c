#pragma once

#include <tegula/block/direct_loader.hpp>
#include <tegula/mma/scaled_atom.hpp>

namespace tegula {

namespace detail {

/// The scales of a lane for the rows of one operand in a block, a word for each iteration and each 512 of k.
template <class Target, class Atom, class Distribution, int Iterations, index_t IterationRows>
struct scale_reader
{
    using words = array<std::uint32_t, Iterations>;

    const std::uint8_t* scales;
    long_index_t span; ///< bytes from the scales of one 512 of k to the next
    index_t rows[Iterations];

    TEGULA_INLINE scale_reader(const std::uint8_t* from, index_t operand_rows, index_t first_row)
        : scales(from + 4 * Atom::scale_block(Target::lane_id())), span(16 * static_cast<long_index_t>(operand_rows))
    {
        const index_t own = first_row + Distribution::origin(partition_index<Target, Distribution>())[0];
        static_for<Iterations>([&](auto i) { // rows past the last one are not stored
            rows[i] = min(own + i * IterationRows, operand_rows - 1);
        });
    }

    TEGULA_INLINE words read(index_t number) const
    {
        words result;
        static_for<Iterations>([&](auto i) {
            const auto* const at = scales + number * span + 16 * static_cast<long_index_t>(rows[i]);
            result[i] =
                __builtin_bit_cast(std::uint32_t, Target::load_global(reinterpret_cast<const raw_vector<4>*>(at)));
        });
        return result;
    }
};

} // namespace detail

/// The k loop of a microscaled_gemm on gfx950. Direct loads of operands run Stages - 1 steps of 128 of k ahead. Scales
/// run four steps ahead, one register for four steps.
template <class Tile>
struct microscaled_loop
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using atom = typename Tile::atom;
    using a_loader = typename Tile::a_loader;
    using b_loader = typename Tile::b_loader;
    using a_scale_reader =
        detail::scale_reader<target, atom, typename mma::a_distribution, mma::iterations_m, atom::m * Tile::waves_m>;
    using b_scale_reader =
        detail::scale_reader<target, atom, typename mma::b_distribution, mma::iterations_n, atom::n * Tile::waves_n>;

    static constexpr int steps_of_scales = 4;
    static constexpr int loads = a_loader::loads + b_loader::loads;

    /// acc += A[m0 ..., :] B[n0 ..., :]^T over k elements. Sources are in bytes, with k padded to whole steps. Rows do
    /// not overlap, and the offsets of a tile fit 31 bits.
    static TEGULA_INLINE void run(typename mma::accumulators& acc, const operand_source<std::uint8_t>& a_source,
                                  const operand_source<std::uint8_t>& b_source, const std::uint8_t* a_scales,
                                  const std::uint8_t* b_scales, long_index_t k, index_t m0, index_t n0,
                                  std::byte* memory)
    {
        // 64 bits wide: with a k of 32 bits clang 22 takes 203 instructions a round of fp8 instead of 192.
        const auto steps = static_cast<index_t>(ceil_div(k, long_index_t{Tile::block_k}));
        auto* const first = reinterpret_cast<std::uint8_t*>(memory);
        a_loader a(a_source, m0, first);
        b_loader b(b_source, n0, first + Tile::stages * a_loader::tile_elements);
        const a_scale_reader a_scale(a_scales, a_source.rows, m0);
        const b_scale_reader b_scale(b_scales, b_source.rows, n0);
        static_for<Tile::stages - 1>([&](auto s) { start(a, b, s, s < steps); });

        typename a_scale_reader::words a_next{};
        typename b_scale_reader::words b_next{};
        if (steps > 0) {
            a_next = a_scale.read(0);
            b_next = b_scale.read(0);
        }
        TEGULA_ROLLED
        for (index_t step = 0; step < steps; step += steps_of_scales) {
            const auto a_now = a_next;
            const auto b_now = b_next;
            if (step + steps_of_scales < steps) {
                a_next = a_scale.read(step / steps_of_scales + 1);
                b_next = b_scale.read(step / steps_of_scales + 1);
            }
            static_for<steps_of_scales>([&](auto u) {
                constexpr int slot = u % Tile::stages;
                if (step + u < steps) {
                    arrive(step + u + Tile::stages - 2 < steps);
                    start(a, b, (slot + Tile::stages - 1) % Tile::stages, step + u + Tile::stages - 1 < steps);
                    multiply<u>(acc, a.template read_words<0>(slot), b.template read_words<0>(slot), a_now, b_now);
                }
            });
        }
    }

private:
    /// Starts the next tiles, if there are any, towards a slot.
    static TEGULA_INLINE void start(a_loader& a, b_loader& b, int slot, bool any)
    {
        if (any) {
            a.load_stage(slot);
            b.load_stage(slot);
        }
    }

    /// Waits until the step's tiles are here for all waves, and the tiles of the step before have been read.
    static TEGULA_INLINE void arrive(bool others_on_their_way)
    {
        if (others_on_their_way)
            target::template direct_barrier<(Tile::stages - 2) * loads>();
        else
            target::template direct_barrier<0>();
    }

    template <int Byte, class AWords, class BWords>
    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, const AWords& a, const BWords& b,
                                       const typename a_scale_reader::words& a_scale,
                                       const typename b_scale_reader::words& b_scale)
    {
        static_for<mma::iterations_m>([&](auto i) {
            const auto fa = internal::part_of<i, mma::iterations_m>(a);
            static_for<mma::iterations_n>([&](auto j) {
                atom::template multiply<Byte, Byte>(acc.tiles[i * mma::iterations_n + j],
                                                    internal::part_of<j, mma::iterations_n>(b), fa, b_scale[j],
                                                    a_scale[i]);
            });
        });
    }
};

} // namespace tegula
