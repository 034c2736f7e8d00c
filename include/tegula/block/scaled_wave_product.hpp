#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/block/scaled_multistage_loop.hpp>
#include <tegula/mma/scaled_atom.hpp>

namespace tegula {

namespace detail {

/// How the scales of a scaled_wave_tile are read: a register serves two tiles along the rows, one in each half-wave.
template <class Tile>
struct scaled_wave_readers
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using atom = typename Tile::atom; // computes the transposed product
    static constexpr index_t step_m = atom::n * Tile::waves_m, step_n = atom::m * Tile::waves_n;
    using a_reader =
        atom_scale_reader<target, typename mma::a_distribution, ceil_div(mma::iterations_m, 2), 2 * step_m, 1>;
    using b_reader =
        atom_scale_reader<target, typename mma::b_distribution, ceil_div(mma::iterations_n, 2), 2 * step_n, 1>;
    using accumulators = accumulators_with_scales<mma, a_reader, b_reader>;
};

} // namespace detail

/// The accumulators of a block of gfx1250 whose operands have block scales, for multistage_loop: with those of a step
/// of k, one instruction, and those of the next in flight.
///
///   Tile  a scaled_wave_tile
template <class Tile>
struct scaled_wave_accumulators : detail::scaled_wave_readers<Tile>::accumulators
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using atom = typename Tile::atom;
    using readers = detail::scaled_wave_readers<Tile>;
    using base = typename readers::accumulators;
    using base::a_now;
    using base::b_now;

    /// row_words: words of a row of either operand, at least one.
    TEGULA_INLINE scaled_wave_accumulators(const scale_atoms& a, const scale_atoms& b, index_t row_words, index_t m0,
                                           index_t n0)
        : base({a, row_words, m0, target::lane_id() / 16 * readers::step_m},
               {b, row_words, n0, target::lane_id() / 16 * readers::step_n})
    {}

    /// Adds the product of a step, whose k has the instruction's own order.
    template <int Slice>
    TEGULA_INLINE void multiply_slice(const typename mma::a_slice& a, const typename mma::b_slice& b)
    {
        static_assert(Slice == 0 && sizeof(a) == mma::iterations_m * atom::b_count &&
                      sizeof(b) == mma::iterations_n * atom::a_count);
        const auto& a_registers = a.registers;
        const auto& b_registers = b.registers;
        const auto a_words = __builtin_bit_cast(array<std::uint32_t, sizeof(a) / 4>, a_registers);
        const auto b_words = __builtin_bit_cast(array<std::uint32_t, sizeof(b) / 4>, b_registers);
        static_for<mma::iterations_m>([&](auto i) {
            const auto fa = internal::part_of<i, mma::iterations_m>(a_words);
            static_for<mma::iterations_n>([&](auto j) {
                atom::template multiply<j % 2, i % 2>(this->tiles[i * mma::iterations_n + j],
                                                      internal::part_of<j, mma::iterations_n>(b_words), fa,
                                                      b_now[j / 2][0], a_now[i / 2][0]);
            });
        });
    }
};

} // namespace tegula
