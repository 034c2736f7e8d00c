#pragma once

#include <tegula/block/raster.hpp>
#include <tegula/block/tensor_operand.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/arguments.hpp>
#include <tegula/kernel/gemm/warp_specialized/work.hpp>
#include <tegula/mma/tcgen05.hpp>

namespace tegula {

namespace tcgen05_rules {

template <bool Ok, int Columns, int Limit>
struct accumulators_fit_tensor_memory
{
    static_assert(Ok,
                  "tegula: two sets of accumulators must fit tensor memory, in a power of two of columns from 32 on; "
                  "use a tile of 16 to 256 columns, a power of two; the arguments are {ok, columns of two, limit}");
};
template <bool Ok, int Rows>
struct block_has_128_rows
{
    static_assert(Ok, "tegula: a block multiplies 128 rows, one for each thread of its epilogue: m is 128, or 256 of a "
                      "pair; the arguments are {ok, rows of a block}");
};

} // namespace tcgen05_rules

/// A tile of tcgen05_gemm: [M, N] for one block, or for a pair that multiplies it together.
///
///   Target   arch::sm_100a or arch::sm_103a
///   A, B, C  types of the inputs and of the accumulators
///   BlockK   elements of k per stage, a multiple of the instruction's k
///   Blocks   1 or 2. With 2, each block of the pair loads half of A's rows and of B's columns and has half of C's rows
///   Raster   order of the tiles, see block/raster.hpp
///
/// There are as many stages as fit in shared memory, at most most_stages (12). Checked at compile time: at least 3 of
/// them; two sets of accumulators in tensor memory; a shape that tcgen05.mma has.
template <class Target, class A, class B, class C, index_t M, index_t N, index_t BlockK, int Blocks = 1,
          class Raster = grouped_raster<8>>
struct tcgen05_tile
{
    using target = Target;
    using a_type = A;
    using b_type = B;
    using accumulator_type = C;
    using raster = Raster;

    template <class R, class Epilogue>
    using product_type = gemm_arguments<A, B, R, Epilogue>;
    /// The kernel of the tile, or of one that is made of it.
    template <class Tile, operand_order OrderA, operand_order OrderB, class R, class Epilogue, output_store Store,
              work_partition Partition>
    using gemm = tcgen05_gemm<Tile, OrderA, OrderB, R, Epilogue, Store, Partition>;

    static constexpr bool both_orders = sizeof(A) <= 2; ///< operands may be contiguous along m or n
    static constexpr bool block_scaled = false;
    static constexpr bool has_tensor_scale = false;
    static constexpr int scale_slots = 0;
    static constexpr bool makes_operands = false; ///< in addition to tensor copies; see made_tile.hpp
    static constexpr bool scatters = false;       ///< rows of C go where the product says
    static constexpr bool gates = false;
    static constexpr bool transposed = false; ///< the instruction's rows are C's
    static constexpr int cluster_blocks = Blocks;
    static constexpr int cluster_m = Blocks, cluster_n = 1;
    static constexpr index_t block_m = M / Blocks;
    static constexpr index_t block_n = N;
    static constexpr index_t block_k = BlockK;
    static constexpr index_t copied_step = BlockK; ///< k per stage, as tensor copies count it
    static constexpr int most_stages = 12;
    static constexpr int accumulator_sets = 2;
    /// Warps: one copies, one multiplies, two complete their warpgroup; the epilogue has the second warpgroup.
    static constexpr int block_threads = 256;
    static constexpr int making_threads = 384; ///< if one more warpgroup makes operands
    static constexpr bool makes_by_elements = true;

private:
    /// The widest swizzle whose width divides lines of `bytes` bytes.
    static consteval swizzle_mode swizzle_of(index_t bytes)
    {
        return bytes % 128 == 0  ? swizzle_mode::bytes_128
               : bytes % 64 == 0 ? swizzle_mode::bytes_64
                                 : swizzle_mode::bytes_32;
    }
    template <class T, index_t Rows, operand_order Order>
    using operand_of = tcgen05_operand<T, Rows, BlockK, Order,
                                       swizzle_of((Order == operand_order::k_contiguous ? BlockK : Rows) *
                                                  static_cast<index_t>(sizeof(T)))>;

public:
    /// A block's part of a stage of each operand, and the instruction, for operands of these orders.
    template <operand_order OrderA, operand_order OrderB>
    struct operands
    {
        static constexpr operand_order left_order = OrderA;
        static constexpr operand_order right_order = OrderB;
        static constexpr bool copies_left = true, copies_right = true; ///< tensor copies load them
        using left = operand_of<A, M / Blocks, OrderA>;
        using right = operand_of<B, N / Blocks, OrderB>;
        using left_loads = tensor_operand<left, 1>;
        using right_loads = tensor_operand<right, 1>;
        using atom = tcgen05_atom<Target, A, B, C, static_cast<int>(M), static_cast<int>(N), Blocks, OrderA, OrderB>;
        static constexpr index_t copied_bytes = left::bytes + right::bytes;
        static constexpr index_t stage_bytes = copied_bytes;
        static constexpr int slices = static_cast<int>(BlockK / atom::k);

        template <int>
        static TEGULA_INLINE void multiply(std::uint32_t c, std::uint64_t a, std::uint64_t b, std::uint32_t,
                                           std::uint32_t, bool accumulate)
        {
            atom::multiply(c, a, b, accumulate);
        }
    };

    /// Columns of tensor memory that all sets of accumulators take.
    static constexpr int tensor_columns =
        accumulator_sets * tensor_product_shape{Blocks, static_cast<int>(M), static_cast<int>(N)}.columns();

    /// True, or the compilation stops with the rule that the tile breaks.
    template <int Stages>
    static consteval bool check()
    {
        namespace rules = tcgen05_rules;
        constexpr int columns = tensor_columns, limit = Target::chip().tensor_columns, rows = static_cast<int>(block_m);
        return sizeof(persistent_rules::enough_stages<Stages >= 3, Stages>) &&
               sizeof(rules::block_has_128_rows < rows == 128, rows >) &&
               sizeof(rules::accumulators_fit_tensor_memory < columns >= 32 && columns <= limit &&
                          is_power_of_two(columns),
                      columns, limit >);
    }
};

} // namespace tegula
