#pragma once

#include <tegula/block/promoted_accumulators.hpp>
#include <tegula/block/raster.hpp>
#include <tegula/block/tensor_operand.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/core/array.hpp>
#include <tegula/kernel/gemm/arguments.hpp>
#include <tegula/kernel/gemm/warp_specialized/work.hpp>
#include <tegula/mma/wgmma.hpp>

namespace tegula {

/// How the consumer warpgroups of a block share the work. cooperative: they share the rows of one tile; ping_pong: each
/// has its own tile, and one multiplies while the other finishes.
enum class consumer_mode { cooperative, ping_pong };

namespace warp_specialized_rules {
template <bool Ok, int Accumulators, int Registers>
struct accumulators_fit_a_consumer
{
    static_assert(Ok, "tegula: accumulators and 32 further registers do not fit the registers of a consumer thread; "
                      "use a smaller tile or more consumer warpgroups (the template arguments are the accumulators and "
                      "the registers)");
};
template <bool Ok, int Registers, int Pool>
struct registers_fit_the_pool
{
    static_assert(Ok, "tegula: the registers of producer and consumers pass those of a multiprocessor; use fewer "
                      "consumer warpgroups (the template arguments are both numbers)");
};
template <bool Ok, long Bytes, long Limit>
struct stages_fit_shared_memory
{
    static_assert(Ok,
                  "tegula: the stages and the staged output do not fit the target's shared memory; use fewer stages "
                  "or a smaller tile (the template arguments are the bytes needed and the limit)");
};
template <bool Ok, int PromoteK, int BlockK>
struct promotes_whole_instructions
{
    static_assert(Ok, "tegula: sums are promoted every PromoteK of k, a multiple of an instruction's 32 bytes that "
                      "divides BlockK (the template arguments are both)");
};
template <bool Ok, int Rows, int Warpgroups>
struct rows_are_whole_warpgroups
{
    static_assert(Ok, "tegula: the rows that consumers share must be a multiple of 64 for each of them (the template "
                      "arguments are the rows and the consumers that share them)");
};
} // namespace warp_specialized_rules

/// The dimension of C that lies along the rows of a wgmma, which has 64 rows and 8 to 256 columns.
struct wgmma_rows
{
    static constexpr bool rows_of_c = false;
    static constexpr bool columns_of_c = true; ///< for few rows of C
};

/// How a warp-specialised GEMM is cut up.
///
///   C           accumulator: float, or int32 for integers
///   BlockM, BlockN, BlockK  tile of a block, and the k of a stage
///   Consumers   warpgroups that multiply, in addition to one that loads
///   Mode        see consumer_mode
///   ClusterM, ClusterN  blocks of a cluster along M and N: a tile of A is loaded once for the blocks along N, one of
///               B once for the blocks along M
///   Stages      stages of the ring in shared memory
///   Transposed  what the instruction's rows are, see wgmma_rows
///   PromoteK    elements of k after which accumulators are added to a second set, or 0: never; see truncated_sum_k
///   Raster      order of the tiles, see block/raster.hpp
///
/// Checked at compile time: accumulators and 32 more registers fit a thread, registers fit the multiprocessor, at least
/// 3 stages fit the shared memory, boxes and swizzles fit each other.
template <class Target, class A, class B, class C, index_t BlockM, index_t BlockN, index_t BlockK, int Consumers,
          consumer_mode Mode, int ClusterM, int ClusterN, int Stages, bool Transposed = wgmma_rows::rows_of_c,
          index_t PromoteK = 0, class Raster = grouped_raster<8>>
struct warp_specialized_tile
{
    using target = Target;
    using a_type = A;
    using b_type = B;
    using accumulator_type = C;
    using raster = Raster;
    /// The products that it is for.
    template <class Result, class Epilogue>
    using product_type = gemm_arguments<A, B, Result, Epilogue>;
    /// The kernel of the tile, or of one that is made of it.
    template <class Tile, operand_order OrderA, operand_order OrderB, class Result, class Epilogue, output_store Store,
              work_partition Partition>
    using gemm = warp_specialized_gemm<Tile, OrderA, OrderB, Result, Epilogue, Store, Partition>;

    static constexpr index_t block_m = BlockM;
    static constexpr index_t block_n = BlockN;
    static constexpr index_t block_k = BlockK;
    static constexpr int consumers = Consumers;
    static constexpr consumer_mode mode = Mode;
    static constexpr int cluster_m = ClusterM;
    static constexpr int cluster_n = ClusterN;
    static constexpr int cluster_blocks = ClusterM * ClusterN;
    static constexpr int k_shares = 1; ///< blocks that share the k of a tile; see cluster_split_tile
    static constexpr int stages = Stages;
    static constexpr bool transposed = Transposed;
    static constexpr index_t promote_k = PromoteK;
    static constexpr bool scales_sums = false;          ///< promoted sums are added as they are
    static constexpr bool both_orders = sizeof(A) == 2; ///< operands may be contiguous along m or n
    static constexpr bool block_scaled = false;
    static constexpr bool makes_operands = false; ///< in addition to tensor copies; see made_tile.hpp
    static constexpr bool scatters = false;       ///< rows of C go where the product says
    static constexpr bool gates = false;          ///< B is two weights, see gated_rows
    static constexpr int block_threads = 128 * (Consumers + 1);
    static constexpr int making_threads = block_threads; ///< the warpgroup that copies makes operands, too
    /// Whether a made operand may be read element by element: its registers hold vectors alone.
    static constexpr bool makes_by_elements = false;

    // The instruction's operands: left gives its 64 rows, right its columns.
    using left_type = std::conditional_t<Transposed, B, A>;
    using right_type = std::conditional_t<Transposed, A, B>;
    static constexpr index_t left_rows = Transposed ? BlockN : BlockM;
    static constexpr index_t right_rows = Transposed ? BlockM : BlockN;
    static constexpr int left_multicast = Transposed ? ClusterM : ClusterN;
    static constexpr int right_multicast = Transposed ? ClusterN : ClusterM;

    /// Consumers that multiply one stage, and how many rows of 64 each has.
    static constexpr int consumers_of_stage = Mode == consumer_mode::cooperative ? Consumers : 1;
    static constexpr index_t consumer_rows = left_rows / consumers_of_stage;
    static constexpr int iterations = static_cast<int>(consumer_rows / 64);

    static constexpr int accumulators = static_cast<int>(consumer_rows * right_rows / 128) * (PromoteK > 0 ? 2 : 1);
    static constexpr warpgroup_registers registers = warpgroup_registers::of(Consumers, accumulators);
    /// If one warpgroup makes operands, of which it holds a part.
    static constexpr warpgroup_registers making_registers =
        Consumers == 1 ? warpgroup_registers{256, 256} : warpgroup_registers{120, 384 / Consumers};

private:
    /// The widest swizzle whose width divides lines of `bytes` bytes, in parts that `blocks` blocks share evenly.
    static consteval swizzle_mode swizzle_of(index_t bytes, int blocks)
    {
        return bytes % (128 * blocks) == 0  ? swizzle_mode::bytes_128
               : bytes % (64 * blocks) == 0 ? swizzle_mode::bytes_64
               : bytes % (32 * blocks) == 0 ? swizzle_mode::bytes_32
                                            : swizzle_mode::none;
    }
    /// Blocks that share an operand split it by lines if k is contiguous, else by panels of lines along the rows.
    template <class T, index_t Rows, operand_order Order, int SharingBlocks>
    using operand_of = wgmma_operand<T, Rows, BlockK, Order,
                                     Order == operand_order::k_contiguous
                                         ? swizzle_of(BlockK* static_cast<index_t>(sizeof(T)), 1)
                                         : swizzle_of(Rows* static_cast<index_t>(sizeof(T)), SharingBlocks)>;

public:
    /// A stage of each operand, and the instruction, for operands of these orders.
    template <operand_order OrderA, operand_order OrderB>
    struct operands
    {
        static constexpr operand_order left_order = Transposed ? OrderB : OrderA;
        static constexpr operand_order right_order = Transposed ? OrderA : OrderB;
        static constexpr bool copies_left = true, copies_right = true; ///< tensor copies load them
        using left = operand_of<left_type, left_rows, left_order, left_multicast>;
        using right = operand_of<right_type, right_rows, right_order, right_multicast>;
        using left_loads = tensor_operand<left, left_multicast>;
        using right_loads = tensor_operand<right, right_multicast>;
        using atom =
            wgmma_atom<Target, left_type, right_type, C, static_cast<int>(right_rows), left_order, right_order>;
        static constexpr index_t stage_bytes = left::bytes + right::bytes;
        static constexpr index_t copied_bytes = stage_bytes;
        static constexpr int slices = static_cast<int>(BlockK / atom::k);
    };

    /// True, or the compilation stops with the rule that the tile breaks. `bytes`: shared memory of a block.
    template <long Bytes>
    static consteval bool check()
    {
        namespace rules = warp_specialized_rules;
        constexpr long limit = Target::chip().shared_bytes;
        constexpr int pool = warpgroup_registers::pool, used = registers.all(Consumers);
        return sizeof(persistent_rules::enough_stages<Stages >= 3, Stages>) &&
               sizeof(rules::promotes_whole_instructions < PromoteK == 0 ||
                          (BlockK % PromoteK == 0 && PromoteK * sizeof(A) % 32 == 0),
                      static_cast<int>(PromoteK), static_cast<int>(BlockK) >) &&
               sizeof(rules::rows_are_whole_warpgroups < left_rows % (64 * consumers_of_stage) == 0,
                      static_cast<int>(left_rows), consumers_of_stage >) &&
               sizeof(rules::accumulators_fit_a_consumer<accumulators + 32 <= registers.consumer, accumulators,
                                                         registers.consumer>) &&
               sizeof(rules::registers_fit_the_pool<used <= pool, used, pool>) &&
               sizeof(rules::stages_fit_shared_memory<Bytes <= limit, Bytes, limit>);
    }
};

} // namespace tegula
