#pragma once

#include <tegula/arch/raw_vector.hpp>
#include <tegula/block/multistage_loop.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/tensor/partition.hpp>

namespace tegula {

/// The scales of an operand of so many rows in atoms of scale_atom_offset, which pad the rows to a multiple of 128.
struct scale_atoms
{
    const std::uint8_t* data;
    index_t rows;
};

namespace detail {

/// A lane's scales of one operand of a block, read from atoms: `Registers` registers, each for tiles of an instruction
/// `Step` rows further on, and in each step `Words` words of four scales along k.
///
///   Distribution  of the operand over waves and lanes; only the first of a lane's rows is used
template <class Target, class Distribution, int Registers, index_t Step, int Words>
struct atom_scale_reader
{
    using words = array<array<std::uint32_t, Words>, Registers>;

    const std::uint8_t* data;         ///< the block's first atoms
    std::uint32_t offsets[Registers]; ///< offsets of step 0, in bytes from `data`
    index_t all_words;                ///< words of a row

    /// row_words: words of a row. lane_rows: rows from that of the lane's elements to that of its scales.
    TEGULA_INLINE atom_scale_reader(const scale_atoms& scales, index_t row_words, index_t first_row, index_t lane_rows)
        : data(scales.data + static_cast<long_index_t>(first_row / 128) * row_words * 512), all_words(row_words)
    {
        const index_t own = first_row + Distribution::origin(partition_index<Target, Distribution>())[0] + lane_rows;
        static_for<Registers>([&](auto r) {
            const index_t row = min(own + r * Step, scales.rows - 1); // past the last row any scale will do
            const index_t atoms = (row / 128 - first_row / 128) * row_words;
            offsets[r] = static_cast<std::uint32_t>(atoms * 512 + row % 32 * 16 + row % 128 / 32 * 4);
        });
    }

    /// The words of step `step`. Past the last word, any will do: elements are zeros there.
    TEGULA_INLINE words read(index_t step) const
    {
        words result;
        static_for<Words>([&](auto w) {
            const std::uint8_t* const word = data + min(step * Words + w, all_words - 1) * 512L;
            static_for<Registers>([&](auto r) {
                const auto* const at = reinterpret_cast<const raw_vector<4>*>(word + offsets[r]);
                result[r][w] = __builtin_bit_cast(std::uint32_t, Target::load_global(at));
            });
        });
        return result;
    }
};

/// The accumulators of a block, with the block scales of a step of k, and those of the next in flight.
template <class Mma, class AReader, class BReader>
struct accumulators_with_scales : Mma::accumulators
{
    AReader a_scales;
    BReader b_scales;
    typename AReader::words a_now, a_next;
    typename BReader::words b_now, b_next;
    index_t step = 0;

    TEGULA_INLINE accumulators_with_scales(const AReader& a, const BReader& b)
        : a_scales(a), b_scales(b), a_now(a_scales.read(0)), a_next(a_scales.read(1)), b_now(b_scales.read(0)),
          b_next(b_scales.read(1))
    {}

    TEGULA_INLINE void end_step()
    {
        ++step;
        a_now = a_next;
        b_now = b_next;
        a_next = a_scales.read(step + 1);
        b_next = b_scales.read(step + 1);
    }
};

} // namespace detail

/// The k loop of a microscaled_gemm whose scales lie in atoms: that of gemm_tile's multistage schedule.
///
///   Tile          has the loop for operands along k in bytes
///   Accumulators  the accumulators with the scales of a step
///   Block         elements along k that share a scale
template <class Tile, class Accumulators, int Block>
struct scaled_multistage_loop
{
    /// acc += A[m0 ..., :] B[n0 ..., :]^T. Sources are those of the tile's loaders, k padded to whole mx_step; all_of_k
    /// is in elements.
    template <class Source>
    static TEGULA_INLINE void run(typename Tile::mma::accumulators& acc, const Source& a_source, const Source& b_source,
                                  const std::uint8_t* a_scales, const std::uint8_t* b_scales, long_index_t all_of_k,
                                  index_t m0, index_t n0, std::byte* memory)
    {
        constexpr operand_order along_k = operand_order::k_contiguous;
        const auto k = static_cast<index_t>(all_of_k);
        if (k == 0) // there are no scales
            return;
        Accumulators scaled({a_scales, a_source.rows}, {b_scales, b_source.rows}, ceil_div(k, 4 * Block), m0, n0);
        static_cast<typename Tile::mma::accumulators&>(scaled) = acc;
        Tile::template loop<along_k, along_k>::run(scaled, a_source, b_source, m0, n0, memory);
        acc = scaled;
    }
};

} // namespace tegula
