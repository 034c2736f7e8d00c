#pragma once

#include <tegula/arch/nvidia/matrix_copy.hpp>
#include <tegula/layout/shared/shared_layout.hpp>
#include <tegula/tensor/distributed_tensor.hpp>

/// Fragments of mma.sync by ldmatrix, four 8x8 matrices at a time. A matrix is 8 rows of 16 bytes whatever its elements
/// are, and a lane gets the 32-bit word lane % 4 of row lane / 4. If k is contiguous in shared memory, this word is an
/// instruction's register for elements of 1, 2 and 4 bytes. Transposing moves elements of 16 bits only.

namespace tegula::detail {

/// Which address each lane gives and which registers the matrices fill, wherever the operand lies in shared memory.
///
/// ReadDistribution is an operand of mma.sync with k packed: a lane has 16 consecutive bytes of k of each of its rows,
/// lane % 4 choosing those of a slice of 64. The matrices fill its registers in the instruction's own order of k
/// instead: word q of a row has bytes 16 q + 4 (lane % 4) of the slice. So both operands of a product must be read this
/// way. InstructionRows: 16 for the instruction's A, whose four registers (two rows, two runs of k) come by one
/// ldmatrix, or 8 for its B.
template <class ReadDistribution, class Element, bool RowsContiguous, int InstructionRows>
struct ldmatrix_reads
{
    using element = Element;
    using distribution = ReadDistribution;
    static constexpr bool rows_contiguous = RowsContiguous;
    static constexpr int instruction_rows = InstructionRows;
    static constexpr int run = 16 / static_cast<int>(sizeof(Element)); ///< elements of a lane's 16 bytes
    static constexpr index_t slice_k = 4 * run;
    static constexpr int count = ReadDistribution::num_registers / run; ///< reads of four matrices in a slice

    /// The step from the {row, k} of the first read to that of read I.
    static consteval multi_index<2> step(int i)
    {
        const bool halves = InstructionRows == 16;
        return {ReadDistribution::step(run * (halves ? i / 2 * 2 : i))[0], halves ? i % 2 * 2 * run : 0};
    }
    /// The matrix row whose address a lane gives in the first read of wave 0: {row, k} of its first element.
    static constexpr TEGULA_HOST_DEVICE multi_index<2> lane_position(int lane)
    {
        const index_t matrix = lane / 8;
        const index_t along = lane % 8;
        const index_t row = InstructionRows == 16 ? matrix % 2 * 8 : 0;
        const index_t k = (InstructionRows == 16 ? matrix / 2 : matrix) * run;
        return {row + (RowsContiguous ? 0 : along), k + (RowsContiguous ? along : 0)};
    }
    /// The 32-bit word of the slice that matrix `matrix` of read I fills.
    static consteval int word(int i, int matrix)
    {
        return InstructionRows == 16 ? 4 * (i / 2 * 2 + matrix % 2) + i % 2 * 2 + matrix / 2 : 4 * i + matrix;
    }

    /// The four matrices of a read.
    static TEGULA_INLINE array<std::uint32_t, 4> load(const void* row)
    {
        return arch::nvidia::load_matrices<4, RowsContiguous>(row);
    }

    /// The accesses of wave 0 to a slice; for the search of layouts.
    static consteval wave_accesses accesses()
    {
        wave_accesses w;
        w.lanes = 32;
        w.accesses = count;
        w.vector = run;
        for (int lane = 0; lane < 32; ++lane)
            for (int d = 0; d < 2; ++d)
                w.origins[lane][d] = ReadDistribution::origin(multi_index<2>{0, 0})[d] + lane_position(lane)[d];
        for (int i = 0; i < count; ++i)
            for (int d = 0; d < 2; ++d)
                w.steps[i][d] = step(i)[d];
        return w;
    }

    /// Whether the distribution is as described, and the rows of waves and of reads have no bits in common, so that
    /// places are found from their parts.
    static consteval bool possible()
    {
        for (int lane = 0; lane < 32; ++lane) {
            const auto x = ReadDistribution::origin(multi_index<2>{0, lane});
            if (x[0] != lane / 4 || x[1] != lane % 4 * run)
                return false;
        }
        for (int r = 0; r < ReadDistribution::num_registers; ++r) {
            const auto x = ReadDistribution::step(r);
            const index_t first = ReadDistribution::step(r / (2 * run) * 2 * run)[0];
            if (x[1] != r % run || x[0] != ReadDistribution::step(r / run * run)[0] ||
                (InstructionRows == 16 && x[0] != first + r / run % 2 * 8))
                return false;
        }
        for (index_t wave = 0; wave < ReadDistribution::p_length(0); ++wave)
            for (int i = 0; i < count; ++i) {
                const index_t row = ReadDistribution::origin(multi_index<2>{wave, 0})[0];
                if ((row & step(i)[0]) != 0 || row % InstructionRows != 0 || step(i)[0] % InstructionRows != 0)
                    return false;
            }
        return true;
    }
};

/// Whether operand tiles [Rows, K] of Element can be read this way.
template <class Target, class Element, index_t Rows, index_t K, bool RowsContiguous, class ReadDistribution,
          int InstructionRows>
consteval bool can_read_matrices()
{
    constexpr index_t bytes = sizeof(Element);
    if constexpr (Target::vendor != vendor::nvidia || bytes > 4 || (RowsContiguous && bytes != 2) ||
                  (InstructionRows != 16 && InstructionRows != 8))
        return false;
    else if constexpr (ReadDistribution::num_x != 2 || ReadDistribution::num_p != 2 ||
                       ReadDistribution::num_registers % (16 / bytes * (InstructionRows / 8)) != 0 || Rows % 8 != 0 ||
                       K * bytes % 64 != 0)
        return false;
    else
        return ldmatrix_reads<ReadDistribution, Element, RowsContiguous, InstructionRows>::possible();
}

/// Reads the slices of tiles in shared memory by matrices.
///
///   Reads  a ldmatrix_reads
///   Tile   place(row, k): where an element lies, in bytes; chunk_bits: the bits of a place that a swizzle XORs
///
/// A lane's place is that of its wave plus its own. The read's part of it is XORed into the chunk and added to the
/// rest. Tiles start at whole lines of 128 bytes, so that the chunk can be changed in the address.
template <class Reads, class Tile>
struct matrix_reader
{
    using element = typename Reads::element;
    using distribution = typename Reads::distribution;
    using slice = distributed_tensor<element, distribution>;

    index_t lane_place; ///< place of this lane's matrix row in a tile, in bytes

    template <class Target>
    static TEGULA_INLINE matrix_reader of_lane()
    {
        const auto wave = distribution::origin(multi_index<2>{Target::wave_id(), 0});
        const auto x = Reads::lane_position(Target::lane_id());
        return {Tile::place(wave[0] + x[0], x[1])};
    }

    /// The slice of k that starts at element K0 of the tile, a multiple of 64 bytes.
    template <int K0>
    TEGULA_INLINE slice read(const element* tile) const
    {
        const auto words = read_words<K0, 0, 1>(tile);
        slice result;
        result.registers = __builtin_bit_cast(decltype(result.registers), words);
        return result;
    }
    /// The registers of part `Part` of `Parts` of that slice; of an instruction's B if there are several.
    template <int K0, int Part, int Parts>
    TEGULA_INLINE auto read_words(const element* tile) const
    {
        constexpr int reads = Reads::count / Parts;
        static_assert(reads * Parts == Reads::count && (Parts == 1 || Reads::instruction_rows == 8));
        const auto place = reinterpret_cast<std::uintptr_t>(tile) + lane_place;
        array<std::uint32_t, sizeof(slice) / 4 / Parts> words;
        static_for<reads>([&](auto r) {
            constexpr int read = Part * reads + decltype(r)::value;
            constexpr index_t step = step_place(read, K0);
            const auto chunk = place ^ static_cast<std::uintptr_t>(step & Tile::chunk_bits);
            const auto matrices = Reads::load(reinterpret_cast<const std::byte*>(chunk) + (step & ~Tile::chunk_bits));
            static_for<4>([&](auto m) {
                constexpr int word = Reads::word(read, decltype(m)::value) - Part * 4 * reads;
                words[word] = matrices[m];
            });
        });
        return words;
    }

    /// Whether every place in tiles of k is found from its parts.
    static consteval bool places_divide(index_t k)
    {
        for (index_t wave = 0; wave < distribution::p_length(0); ++wave)
            for (int i = 0; i < Reads::count; ++i)
                for (index_t k0 = 0; k0 < k; k0 += Reads::slice_k)
                    for (int lane = 0; lane < 32; lane += 3) {
                        const index_t row = distribution::origin(multi_index<2>{wave, 0})[0];
                        const auto x = Reads::lane_position(lane);
                        const auto step = Reads::step(i);
                        if (found(Tile::place(row + x[0], x[1]), i, k0) !=
                            Tile::place(row + x[0] + step[0], k0 + x[1] + step[1]))
                            return false;
                    }
        return true;
    }

    /// Bank conflicts of one wave that reads a tile of k once.
    static consteval int conflicts(const chip_info& chip, index_t k)
    {
        int n = 0;
        for (index_t k0 = 0; k0 < k; k0 += Reads::slice_k)
            for (int i = 0; i < Reads::count; ++i) {
                index_t addresses[32]{};
                for (int lane = 0; lane < 32; ++lane) {
                    const auto x = Reads::lane_position(lane);
                    addresses[lane] = found(Tile::place(x[0], x[1]), i, k0);
                }
                n += conflict_cycles(chip, access_kind::load, 16, addresses, 0xffffffffu);
            }
        return n;
    }

private:
    /// The number that read I of the slice at K0 XORs into the lane's place and adds to it.
    static consteval index_t step_place(int i, index_t k0)
    {
        return Tile::place(Reads::step(i)[0], Reads::step(i)[1] + k0);
    }
    static consteval index_t found(index_t place, int i, index_t k0)
    {
        const index_t step = step_place(i, k0);
        return (place ^ (step & Tile::chunk_bits)) + (step & ~Tile::chunk_bits);
    }
};

} // namespace tegula::detail
