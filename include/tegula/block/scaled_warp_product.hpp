#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/block/scaled_multistage_loop.hpp>
#include <tegula/mma/scaled_warp_atom.hpp>

namespace tegula {

namespace detail {

/// How the scales of a scaled_warp_tile are read: a register serves two tiles of rows, or four of columns.
template <class Tile>
struct scaled_warp_readers
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using atom = typename Tile::atom;
    /// Words of four scales that a row has in a step.
    static constexpr int words = static_cast<int>(Tile::block_k) / (32 * 4 / atom::scales);
    static constexpr index_t step_m = atom::m * Tile::waves_m, step_n = atom::n * Tile::waves_n;
    using a_reader = atom_scale_reader<target, typename mma::a_distribution, mma::iterations_m / 2, 2 * step_m, words>;
    using b_reader = atom_scale_reader<target, typename mma::b_distribution, mma::iterations_n / 4, 4 * step_n, words>;
    using accumulators = accumulators_with_scales<mma, a_reader, b_reader>;
};

} // namespace detail

/// The accumulators of a block whose operands have block scales, for multistage_loop: with those of a step of k, and
/// those of the next in flight.
///
///   Tile  a scaled_warp_tile
template <class Tile>
struct scaled_accumulators : detail::scaled_warp_readers<Tile>::accumulators
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using atom = typename Tile::atom;

    static_assert(mma::iterations_m % 2 == 0 && mma::iterations_n % 4 == 0,
                  "tegula: a register of block scales serves two tiles of rows or four of columns; give each warp a "
                  "multiple of 32 rows and of 32 columns");

    using readers = detail::scaled_warp_readers<Tile>;
    using base = typename readers::accumulators;
    using base::a_now;
    using base::b_now;

    /// row_words: words of a row of either operand, at least one.
    TEGULA_INLINE scaled_accumulators(const scale_atoms& a, const scale_atoms& b, index_t row_words, index_t m0,
                                      index_t n0)
        : base({a, row_words, m0, a_row(target::lane_id())}, {b, row_words, n0, b_row(target::lane_id())})
    {}

    /// Adds the product of slice `Slice` of a step, whose k has the instruction's own order: the instruction of call c
    /// takes words 2 c and 2 c + 1 of the four that a lane has of each row.
    template <int Slice>
    TEGULA_INLINE void multiply_slice(const typename mma::a_slice& a, const typename mma::b_slice& b)
    {
        static_assert(mma::calls == 2 && sizeof(a) == 32 * mma::iterations_m && sizeof(b) == 16 * mma::iterations_n);
        const auto& a_registers = a.registers;
        const auto& b_registers = b.registers;
        const auto a_words = __builtin_bit_cast(array<std::uint32_t, sizeof(a) / 4>, a_registers);
        const auto b_words = __builtin_bit_cast(array<std::uint32_t, sizeof(b) / 4>, b_registers);
        static_for<2>([&](auto call) {
            constexpr int scale = (2 * Slice + call) * atom::scales;
            static_for<mma::iterations_m>([&](auto i) {
                const array<std::uint32_t, 4> fa = {a_words[8 * i + 2 * call], a_words[8 * i + 4 + 2 * call],
                                                    a_words[8 * i + 2 * call + 1], a_words[8 * i + 5 + 2 * call]};
                static_for<mma::iterations_n>([&](auto j) {
                    const array<std::uint32_t, 2> fb = {b_words[4 * j + 2 * call], b_words[4 * j + 2 * call + 1]};
                    atom::template multiply<scale % 4, i % 2, j % 4>(this->tiles[i * mma::iterations_n + j], fa, fb,
                                                                     a_now[i / 2][scale / 4], b_now[j / 4][scale / 4]);
                });
            });
        });
    }

private:
    // How many rows after the lane's elements its scales lie. A's lanes 4 q + 2 t and the next have the scales of rows
    // q and q + 8 of tile t, B's lane 4 q + t those of column q of tile t.
    static TEGULA_INLINE index_t a_row(int lane) { return lane % 4 / 2 * readers::step_m + lane % 2 * 8; }
    static TEGULA_INLINE index_t b_row(int lane) { return lane % 4 * readers::step_n; }
};

} // namespace tegula
