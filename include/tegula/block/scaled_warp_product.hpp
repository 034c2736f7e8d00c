#pragma once

#include <tegula/arch/raw_vector.hpp>
#include <tegula/block/mma_tile.hpp>
#include <tegula/core/math.hpp>
#include <tegula/mma/scaled_warp_atom.hpp>
#include <tegula/tensor/partition.hpp>

namespace tegula {

namespace detail {

/// A lane's scales of one operand of a block: a register for each `Tiles` tiles of an instruction along the rows (columns)
/// and each word of four scales of a step, read from atoms of scale_atom_offset.
///
///   Distribution  of the operand over waves and lanes; of its rows only the first is asked for
///   Step          rows from one tile of a wave to the next
template <class Target, class Distribution, int Registers, int Tiles, index_t Step, int Words>
struct warp_scale_reader
{
    using words = array<array<std::uint32_t, Words>, Registers>;

    const std::uint8_t* first[Registers]; ///< of step 0
    index_t all_words;                    ///< of a row

    /// `scales`: of rows from 0 on, `row_words` words each; the rows of the block are padded to a multiple of 128 there.
    TEGULA_INLINE warp_scale_reader(const std::uint8_t* scales, index_t row_words, index_t first_row)
        : all_words(row_words)
    {
        const index_t own = first_row + Distribution::origin(partition_index<Target, Distribution>())[0];
        const int number = Target::lane_id() % 4;
        // A's lanes 4 q + 2 t and the next have rows q and q + 8 of tile t, B's lane 4 q + t has column q of tile t.
        const index_t lane = Tiles == 2 ? number / 2 * Step + number % 2 * 8 : number * Step;
        static_for<Registers>([&](auto r) {
            const index_t row = own + lane + r * (Tiles * Step);
            first[r] =
                scales + static_cast<long_index_t>(row / 128) * row_words * 512 + row % 32 * 16 + row % 128 / 32 * 4;
        });
    }

    /// The words of step `step`. Past the last word, where elements are zeros, any will do.
    TEGULA_INLINE words read(index_t step) const
    {
        words result;
        static_for<Words>([&](auto w) {
            const index_t word = min(step * Words + w, all_words - 1);
            static_for<Registers>([&](auto r) {
                const auto* const at = reinterpret_cast<const raw_vector<4>*>(first[r] + word * 512L);
                result[r][w] = __builtin_bit_cast(std::uint32_t, Target::load_global(at));
            });
        });
        return result;
    }
};

} // namespace detail

/// The accumulators of a block whose operands have block scales, for multistage_loop: with those of a step of k, and those of
/// the next on their way.
///
///   Tile  a scaled_warp_tile
template <class Tile>
struct scaled_accumulators : Tile::mma::accumulators
{
    using target = typename Tile::target;
    using mma = typename Tile::mma;
    using atom = typename Tile::atom;

    static_assert(mma::iterations_m % 2 == 0 && mma::iterations_n % 4 == 0,
                  "tegula: a register of block scales serves two tiles of rows or four of columns; give each warp a "
                  "multiple of 32 rows and of 32 columns");

    /// Words of four scales that a row has in a step.
    static constexpr int words = static_cast<int>(Tile::block_k) / (32 * 4 / atom::scales);
    using a_reader = detail::warp_scale_reader<target, typename mma::a_distribution, mma::iterations_m / 2, 2,
                                               atom::m * Tile::waves_m, words>;
    using b_reader = detail::warp_scale_reader<target, typename mma::b_distribution, mma::iterations_n / 4, 4,
                                               atom::n * Tile::waves_n, words>;

    a_reader a_scales;
    b_reader b_scales;
    typename a_reader::words a_now, a_next;
    typename b_reader::words b_now, b_next;
    index_t step = 0;

    /// row_words: words of a row of either operand, at least one.
    TEGULA_INLINE scaled_accumulators(const std::uint8_t* a, const std::uint8_t* b, index_t row_words, index_t m0,
                                      index_t n0)
        : a_scales(a, row_words, m0), b_scales(b, row_words, n0), a_now(a_scales.read(0)), a_next(a_scales.read(1)),
          b_now(b_scales.read(0)), b_next(b_scales.read(1))
    {}

    TEGULA_INLINE void end_step()
    {
        ++step;
        a_now = a_next;
        b_now = b_next;
        a_next = a_scales.read(step + 1);
        b_next = b_scales.read(step + 1);
    }

    /// Adds the product of slice `Slice` of a step, whose k has the instruction's own order: the instruction of call c takes
    /// words 2 c and 2 c + 1 of the four that a lane has of each row.
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
};

} // namespace tegula
