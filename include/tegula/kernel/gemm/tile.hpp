#pragma once

#include <tegula/block/direct_column_loader.hpp>
#include <tegula/block/ldmatrix_loader.hpp>
#include <tegula/block/mma_tile.hpp>
#include <tegula/block/multistage_loop.hpp>
#include <tegula/block/output_stage.hpp>
#include <tegula/block/raster.hpp>
#include <tegula/block/tensor_mover_loader.hpp>
#include <tegula/chip/chip_speed.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

namespace gemm_rules {
template <bool Ok, int Conflicts>
struct shared_memory_is_free_of_conflicts
{
    static_assert(Ok, "tegula: no layout of the operand tile in shared memory is free of bank conflicts; choose "
                      "another block_k or wave arrangement (the template argument counts extra cycles)");
};
template <bool Ok, long Bytes, long Limit>
struct stages_fit_shared_memory
{
    static_assert(Ok, "tegula: the stages of the tile do not fit the target's shared memory; use fewer stages or a "
                      "smaller tile (the template arguments are the bytes needed and the limit)");
};
template <bool Ok, int Registers, int Limit>
struct accumulators_fit_the_registers
{
    static_assert(Ok, "tegula: the accumulators of the tile do not fit the registers of a lane; use a smaller tile or "
                      "more waves (the template arguments are the registers needed and the limit)");
};
template <bool Ok, int BlockK, int Slice>
struct block_k_is_whole_slices
{
    static_assert(Ok, "tegula: block_k must be a multiple of the k that one step of the matrix instruction takes (the "
                      "template arguments are block_k and that step)");
};
} // namespace gemm_rules

/// The tile sizes of a GEMM, and the schedule of its k loop.
///
///   Atom            the matrix instruction (mma/atom.hpp)
///   BlockM, BlockN  rows and columns of the tile of C that a block computes
///   BlockK          length along k of a stage: a tile of A and a tile of B in shared memory
///   WavesM, WavesN  waves of a block along the rows and along the columns of its tile
///   Stages          stages of the ring buffer in shared memory: one is multiplied while others are loaded
///   GroupM          tiles along M that run before the next tiles along N (grouped_raster)
///   Schedule        the loop over k: the order of loads and products. By default multistage, with promoted sums if the
///                   instruction truncates them (truncated_sum_k in block/promoted_accumulators.hpp)
///
/// Checked at compile time: the stages fit the target's shared memory, the accumulators fit the registers of a lane,
/// and shared memory has no bank conflicts by the target's rule.
template <class Target, class Atom, index_t BlockM, index_t BlockN, index_t BlockK, int WavesM, int WavesN,
          int Stages = 2, index_t GroupM = 8, class Schedule = default_multistage<Atom>>
struct gemm_tile
{
    using target = Target;
    using atom = Atom;
    using schedule = Schedule;
    using mma = mma_tile<Target, Atom, BlockM, BlockN, WavesM, WavesN, 1, requires { Schedule::transposes; }>;
    using output = output_stage<mma>;
    // Neighbouring tiles go to one XCD, a die with its own L2 cache, in chunks of tiles_of_xcd.
    static constexpr chip_speed speed = chip::speed_of(Target::chip());
    // With clusters, whose blocks are on one XCD, tiles are taken in the order of the launch.
    static constexpr int cluster_blocks = Schedule::cluster_blocks;
    using raster = grouped_raster<GroupM, cluster_blocks == 1 ? speed.xcds : 1, tiles_of_xcd(speed)>;
    using a_type = typename mma::a_type;
    using b_type = typename mma::b_type;
    using accumulator_type = typename Atom::c_type;

    static constexpr index_t block_m = BlockM;
    static constexpr index_t block_n = BlockN;
    static constexpr index_t block_k = BlockK;
    static constexpr index_t a_block_k = BlockK; ///< block_k of A, whose rows may differ in bytes from those of B
    static constexpr int waves_m = WavesM;
    static constexpr int waves_n = WavesN;
    static constexpr int stages = Stages;
    static constexpr int slices = BlockK / mma::slice_k;
    static constexpr int block_threads = mma::block_threads;
    /// After each promote_k of k the accumulators are added to a second set; 0: never. See truncated_sum_k.
    static constexpr index_t promote_k = Schedule::promote_k;
    /// 32-bit registers that a lane can have if a compute unit runs one block at a time. Tiles are made for that.
    static constexpr int lane_registers = tegula::lane_registers(Target::chip(), block_threads);
    /// 32-bit registers of a lane: accumulators, and operands that the schedule holds in addition.
    static constexpr int accumulator_registers =
        mma::c_distribution::num_registers * static_cast<int>(sizeof(accumulator_type)) / 4 * (promote_k > 0 ? 2 : 1);
    static constexpr int operand_registers =
        Schedule::slices_held(slices) *
            static_cast<int>(sizeof(typename mma::a_slice) + sizeof(typename mma::b_slice)) / 4 +
        (Target::has_async_copy ? 0 : Schedule::tiles_held) * BlockK *
            (BlockM * static_cast<int>(sizeof(a_type)) + BlockN * static_cast<int>(sizeof(b_type))) /
            (4 * block_threads);

    /// The tile of the kernel that reads operands element by element. It is multistage and at most 128 x 128, or
    /// 128 x 64 if sums are promoted or operands widened. Larger tiles lack registers and gain nothing: loads of single
    /// elements take the time. Registers hold only one tile in flight, for which two stages are enough.
    static constexpr index_t element_wise_columns =
        default_multistage<Atom>::promote_k > 0 || Atom::widens_operands ? 64 : 128;
    static constexpr int element_wise_stages = Target::has_async_copy ? Stages : 2;
    using element_wise_tile = std::conditional_t<
        (BlockM * BlockN > 128 * element_wise_columns),
        gemm_tile<Target, Atom, 128, element_wise_columns, BlockK, 2, Target::wave_size == 32 ? 4 : 2,
                  element_wise_stages>,
        gemm_tile<Target, Atom, BlockM, BlockN, BlockK, WavesM, WavesN, element_wise_stages, GroupM>>;

    static_assert(Stages >= 2, "tegula: the multistage schedule needs a ring of at least two stages");

    /// The k loop of a block for operands of these orders.
    template <operand_order OrderA, operand_order OrderB>
    using loop = typename Schedule::template loop<gemm_tile, OrderA, OrderB>;

    /// The loader of an operand in tiles of length K along k.
    template <index_t K, operand_order Order>
    using a_loader_of =
        typename decltype(internal::choose_loader<
                          Schedule, Order, Target, a_type, BlockM, K, typename mma::a_distribution, 0,
                          best_operand_loader<Target, a_type, BlockM, K, mma::waves, Order,
                                              typename mma::a_distribution, mma::transposed ? 0 : Atom::m>>())::type;
    template <index_t K, operand_order Order>
    using b_loader_of =
        typename decltype(internal::choose_loader<
                          Schedule, Order, Target, b_type, BlockN, K, typename mma::b_distribution, 1,
                          best_operand_loader<Target, b_type, BlockN, K, mma::waves, Order,
                                              typename mma::b_distribution, mma::transposed ? 0 : Atom::n>>())::type;
    template <operand_order Order>
    using a_loader = a_loader_of<BlockK, Order>;
    template <operand_order Order>
    using b_loader = b_loader_of<BlockK, Order>;
    /// Those of schedules by direct loads.
    template <operand_order Order>
    using direct_a_loader =
        direct_loader_of<Target, a_type, BlockM, BlockK, mma::waves, Order, typename mma::a_distribution>;
    template <operand_order Order>
    using direct_b_loader =
        direct_loader_of<Target, b_type, BlockN, BlockK, mma::waves, Order, typename mma::b_distribution>;

    /// Shared memory of a block for operands of these orders, in bytes.
    template <operand_order OrderA, operand_order OrderB>
    static consteval index_t shared_bytes()
    {
        constexpr index_t a = a_loader<OrderA>::tile_elements * static_cast<index_t>(sizeof(a_type));
        constexpr index_t b = b_loader<OrderB>::tile_elements * static_cast<index_t>(sizeof(b_type));
        return max(Stages * (a + b), output::bytes);
    }

    /// True, or the compilation stops with the rule that the tile breaks.
    template <operand_order OrderA, operand_order OrderB>
    static consteval bool check()
    {
        namespace rules = gemm_rules;
        constexpr long bytes = shared_bytes<OrderA, OrderB>();
        constexpr long limit = Target::chip().shared_bytes;
        constexpr int conflicts =
            a_loader<OrderA>::shared::conflicts + b_loader<OrderB>::shared::conflicts + output::shared::conflicts;
        constexpr int registers = accumulator_registers;
        constexpr int register_limit = lane_registers - 32;
        return sizeof(rules::block_k_is_whole_slices < BlockK % mma::slice_k == 0, BlockK, mma::slice_k >) &&
               sizeof(rules::stages_fit_shared_memory<(bytes <= limit), bytes, limit>) &&
               sizeof(
                   rules::accumulators_fit_the_registers<(registers <= register_limit), registers, register_limit>) &&
               sizeof(rules::shared_memory_is_free_of_conflicts < conflicts == 0, conflicts >);
    }
};

} // namespace tegula
