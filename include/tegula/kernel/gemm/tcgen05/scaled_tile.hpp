#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_arguments.hpp>
#include <tegula/kernel/gemm/tcgen05/tile.hpp>
#include <tegula/mma/tcgen05_scaled.hpp>

namespace tegula {

/// A block's part of a stage of a block-scaled product, and how the tensor core gets it: the operands, then the scales
/// of A, then the scales of B, each in atoms of 512 bytes.
template <class Atom>
struct tcgen05_scaled_operands
{
    using atom = Atom;
    static constexpr operand_order left_order = operand_order::k_contiguous;
    static constexpr operand_order right_order = operand_order::k_contiguous;
    static constexpr bool copies_left = true, copies_right = true; ///< tensor copies load them
    static constexpr index_t line = 128;                           ///< bytes per row in a stage
    using left = tcgen05_operand<std::uint8_t, Atom::block_m, line>;
    using right = tcgen05_operand<std::uint8_t, Atom::block_n, line>;
    using left_loads = tensor_operand<left, 1>;
    using right_loads = tensor_operand<right, 1>;
    static constexpr int slices = static_cast<int>(line) / 32;

    /// Atoms per stage along k, and blocks of 128 rows. With 192 columns every second tile begins within a block.
    static constexpr int atoms = slices / Atom::steps_of_atom;
    static constexpr int a_row_blocks = Atom::block_m / 128, b_row_blocks = ceil_div(Atom::n, 128);
    static constexpr index_t a_scale_bytes = a_row_blocks * atoms * 512, b_scale_bytes = b_row_blocks * atoms * 512;
    static constexpr index_t scales_at = left::bytes + right::bytes;
    static constexpr index_t copied_bytes = scales_at + a_scale_bytes + b_scale_bytes;
    static constexpr index_t stage_bytes = round_up(copied_bytes, 1024);
    /// Columns of tensor memory that a stage's scales take.
    static constexpr int scale_columns = atoms * (Atom::a_scale_columns + 4 * b_row_blocks);

    /// The map for copies of a stage's scales, from those of `rows` rows of k elements. Its dimensions: words of an
    /// atom, atoms along k, blocks of 128 rows, matrices of the batch.
    template <class Format>
    static constexpr tensor_map_parameters scale_parameters(const std::uint8_t* scales, long_index_t rows,
                                                            long_index_t k, long_index_t batch,
                                                            long_index_t batch_stride, int row_blocks)
    {
        const long_index_t along_k = ceil_div(ceil_div(k, Format::block), 4), along_rows = ceil_div(rows, 128);
        const bool one = batch == 1 || batch_stride == 0;
        tensor_map_parameters p;
        p.base = scales;
        p.type = tensor_element::i32;
        p.set_dimensions<4>({128, along_k, along_rows, one ? 1 : batch},
                            {4, 512, along_k * 512, one ? along_k * along_rows * 512 : batch_stride},
                            {128, atoms, row_blocks, 1});
        return p;
    }

    /// Copies the scales of a stage for the rows from `row` and the columns from `column` on, in whole blocks of 128.
    template <class Barrier>
    static TEGULA_INLINE void load_scales(std::byte* stage, const tensor_map& a, const tensor_map& b, index_t row,
                                          index_t column, index_t step, index_t batch_a, index_t batch_b, Barrier full)
    {
        const array<int, 4> at_a = {0, step * atoms, row / 128, batch_a};
        const array<int, 4> at_b = {0, step * atoms, column / 128, batch_b};
        std::byte* const a_scales = stage + scales_at;
        if constexpr (Atom::blocks == 1) {
            arch::nvidia::tensor_load(a_scales, a, at_a, full);
            arch::nvidia::tensor_load(a_scales + a_scale_bytes, b, at_b, full);
        } else {
            arch::nvidia::tensor_load_paired(a_scales, a, at_a, full);
            arch::nvidia::tensor_load_paired(a_scales + a_scale_bytes, b, at_b, full);
        }
    }

    /// The descriptor of a stage's first atom of scales.
    static TEGULA_INLINE std::uint64_t scale_descriptor(const std::byte* stage)
    {
        return Atom::scale_copy::descriptor(stage + scales_at);
    }
    /// Has the tensor core copy a stage's scales to `address`: those of A, then those of B, atom after atom along k,
    /// the blocks of rows of an atom together.
    static TEGULA_INLINE void copy_scales(std::uint32_t address, std::uint64_t first)
    {
        static_for<atoms>([&](auto k) {
            static_for<a_row_blocks>([&](auto r) {
                Atom::scale_copy::copy(address + 4 * (k * a_row_blocks + r), left::moved(first, 32 * (r * atoms + k)));
            });
            static_for<b_row_blocks>([&](auto r) {
                Atom::scale_copy::copy(address + 4 * (atoms * a_row_blocks + k * b_row_blocks + r),
                                       left::moved(first, 32 * (a_row_blocks * atoms + r * atoms + k)));
            });
        });
    }

    /// Where the scales of the columns from `column` on lie in tensor memory, behind those of their block of 128.
    static TEGULA_INLINE std::uint32_t first_scale(index_t column)
    {
        return static_cast<std::uint32_t>(column % 128 / 32);
    }
    /// Multiplies slice `Slice` of a stage, whose scales are at `scales`; `b_first` is first_scale() of the tile.
    template <int Slice>
    static TEGULA_INLINE void multiply(std::uint32_t c, std::uint64_t a, std::uint64_t b, std::uint32_t scales,
                                       std::uint32_t b_first, bool accumulate)
    {
        constexpr int atom_number = Slice / Atom::steps_of_atom;
        constexpr int byte = Slice % Atom::steps_of_atom * Atom::scales;
        Atom::template multiply<byte>(c, a, b, scales + 4 * atom_number * a_row_blocks,
                                      scales + b_first + 4 * (atoms * a_row_blocks + atom_number * b_row_blocks),
                                      accumulate);
    }
};

/// A tile of tcgen05_gemm for operands whose blocks along k have scales: [M, N] for one block or for a pair.
///
///   Target            arch::sm_100a or arch::sm_103a
///   FormatA, FormatB  mx_format<element> each, or both nvfp4_format
///   Blocks            as in tcgen05_tile
///
/// A stage's scales are copied to columns of tensor memory. If these suffice for 3 stages, each stage of the ring has its
/// own, and copies wait for nothing more than the stage's operands do. If not, stages take turns in them, and copies wait
/// for the products that read them before. With N = 256 there is no room for two sets of accumulators next to the
/// scales.
template <class Target, class FormatA, class FormatB, index_t M, index_t N, int Blocks = 1,
          class Raster = grouped_raster<8>>
struct tcgen05_scaled_tile
{
    using target = Target;
    using a_type = std::uint8_t;
    using b_type = std::uint8_t;
    using accumulator_type = float;
    using raster = Raster;
    template <class C, class Epilogue>
    using product_type = scaled_format_arguments<FormatA, FormatB, C, Epilogue>;

private:
    using atom_type = tcgen05_scaled_atom<Target, FormatA, FormatB, static_cast<int>(M), static_cast<int>(N), Blocks>;

    template <class T>
    static consteval tensor_element element_of()
    {
        return atom_type::packed || T::format::width == 8 ? tensor_element::u8
               : T::format::width == 6                    ? tensor_element::u6_align16
                                                          : tensor_element::u4_align16;
    }

public:
    template <operand_order, operand_order>
    using operands = tcgen05_scaled_operands<atom_type>;

    static constexpr bool block_scaled = true;
    static constexpr bool has_tensor_scale = FormatA::has_tensor_scale;
    static constexpr bool makes_operands = false;
    static constexpr bool scatters = false;
    static constexpr bool gates = false;
    static constexpr bool transposed = false;
    static constexpr int cluster_blocks = Blocks;
    static constexpr int cluster_m = Blocks, cluster_n = 1;
    static constexpr index_t block_m = M / Blocks;
    static constexpr index_t block_n = N;
    static constexpr index_t block_k = 4 * atom_type::k; ///< elements of k per stage
    static constexpr int accumulator_sets = N > 192 ? 1 : 2;
    static constexpr int block_threads = 256;
    static constexpr int tensor_columns = 512; ///< all: a block has its multiprocessor alone
    /// Stages whose scales fit next to the accumulators.
    static constexpr int scale_slots =
        (tensor_columns - accumulator_sets * static_cast<int>(N)) / tcgen05_scaled_operands<atom_type>::scale_columns;
    static constexpr int most_stages = scale_slots >= 3 ? scale_slots : 12;

    /// The types with which tensor copies move the operands. They count k in bytes if both operands are packed 4-bit
    /// elements, else in elements. Rows are padded to 128 elements.
    static constexpr tensor_element a_tensor_element = element_of<typename FormatA::element_type>();
    static constexpr tensor_element b_tensor_element = element_of<typename FormatB::element_type>();
    static constexpr index_t copied_step = 128;
    static constexpr long_index_t copied_k(long_index_t k)
    {
        return ceil_div(k, mx_step) * (atom_type::packed ? mx_step / 2 : mx_step);
    }

    template <int Stages>
    static consteval bool check()
    {
        static_assert(scale_slots >= 2,
                      "tegula: tensor memory must hold the scales of 2 stages next to the accumulators; "
                      "use a tile of fewer columns");
        return sizeof(persistent_rules::enough_stages<Stages >= 3, Stages>) > 0;
    }
};

/// The tiles of tcgen05_gemm that are shipped for block-scaled operands.
///
/// | name           | for
/// | tc256x256_2x1  | large products: a pair of blocks loads each operand once; one set of accumulators
/// | tc256x192_2x1  | the same with two sets: the epilogue runs next to the products of the next tile
/// | tc128x128      | products of few tiles; two sets of accumulators
template <class Target, class FormatA, class FormatB = FormatA>
struct tcgen05_scaled_tiles
{
    using tc256x256_2x1 = tcgen05_scaled_tile<Target, FormatA, FormatB, 256, 256, 2>;
    using tc256x192_2x1 = tcgen05_scaled_tile<Target, FormatA, FormatB, 256, 192, 2>;
    using tc128x128 = tcgen05_scaled_tile<Target, FormatA, FormatB, 128, 128>;
};

} // namespace tegula
