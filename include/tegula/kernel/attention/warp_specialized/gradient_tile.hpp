#pragma once

#include <tegula/block/stage_pipeline.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/block/warpgroup_chain.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/backward/change_cost.hpp>
#include <tegula/kernel/attention/backward/workspace.hpp>
#include <tegula/kernel/attention/tile.hpp>
#include <tegula/kernel/attention/warp_specialized/query_gradient_sums.hpp>
#include <tegula/kernel/attention/warp_specialized/tile.hpp>

namespace tegula {

/// The tiles of a kernel of attention's backward pass on sm_90a. A block keeps Rows rows, of K and V or of Q and dO.
/// Rows of the others go by, Columns at a time, through a ring of Stages in shared memory. Two consumer warpgroups hold
/// the gradients in registers. Each has 64 of 128 rows; 64 keys are shared: one consumer has dK, the other dV.
///
/// HeadDim and ValueDim are the most columns of Q and K, and of V and O, multiples of 64 up to 256.
///
///   Chunk   columns of scores that are worked on at once
///   AddsDq  whether blocks that keep keys add to dQ, too, by query_gradient_sums
///
/// Checked at compile time: what is kept and the stages fit the shared memory, gradients and scores the registers.
template <class Target, class T, index_t HeadDim, index_t ValueDim, int Stages, index_t Columns, index_t Chunk,
          index_t Rows = 128, bool AddsDq = false>
struct warp_specialized_gradient_tile
{
    static_assert(sizeof(T) == 2, "tegula: gradients by wgmma have inputs of 16 bits");
    static_assert(HeadDim % 64 == 0 && HeadDim <= 256 && ValueDim % 64 == 0 && ValueDim <= 256,
                  "tegula: a backward pass by wgmma has up to 256 columns, whose gradients fit the registers; take an "
                  "attention_backward_for");
    static_assert(Stages >= 2, "tegula: a backward pass by wgmma takes at least 2 stages: one is read, one is filled");
    static_assert(attention_backward_workspace::alignment % Columns == 0,
                  "tegula: the workspace has 128 queries or a multiple; take 32, 64 or 128 columns of scores");
    static_assert(Rows == 64 || Rows == 128, "tegula: two consumers keep 64 rows together, or 64 each");

    using target = Target;
    using element = T;
    static constexpr int consumers = 2;
    static constexpr index_t rows = Rows;                      ///< rows that a block keeps
    static constexpr bool shares_rows = Rows < 64 * consumers; ///< both have the same rows, and one gradient each
    static constexpr bool is_wide = HeadDim + ValueDim > 256;  ///< no consumer has registers for both gradients
    static constexpr bool adds_dq = AddsDq;
    static constexpr bool halves = AddsDq && is_wide; ///< each consumer has half of the columns of every gradient
    static_assert(
        !AddsDq || (is_wide ? Rows == 64 && HeadDim == 256 && ValueDim == 256 && Chunk == Columns / 2
                            : Rows == 128 && HeadDim <= 128),
        "tegula: blocks that add to dQ keep 128 keys of 64 or 128 columns, or 64 of 256 columns of both; take "
        "a warp_specialized_backward_for");
    static constexpr index_t columns = Columns; ///< columns of a tile of scores: rows that go by
    static constexpr index_t head_dim = HeadDim;
    static constexpr index_t value_dim = ValueDim;
    static constexpr int stages = Stages;
    static constexpr index_t chunk = Chunk;
    static constexpr int block_threads = 128 * (consumers + 1);

    using kept_loader = loads_at_any_distance;

    // [kept rows of a consumer, columns of the matrix] and [rows that go by, columns of the matrix].
    using kept_head = wgmma_operand<T, 64, HeadDim>;
    using kept_value = wgmma_operand<T, 64, ValueDim>;
    using passing_head = wgmma_operand<T, columns, HeadDim>;
    using passing_value = wgmma_operand<T, columns, ValueDim>;
    /// The rows that go by as the products over them read their memory.
    using head_across = wgmma_operand<T, HeadDim, columns, operand_order::row_contiguous>;
    using value_across = wgmma_operand<T, ValueDim, columns, operand_order::row_contiguous>;
    /// Scores along the columns, gradients over the rows that go by.
    using head_chain = warpgroup_chain<Target, kept_head, passing_head, head_across>;
    using value_chain = warpgroup_chain<Target, kept_value, passing_value, value_across>;

    struct control
    {
        arch::nvidia::mbarrier kept;                                     ///< the kept rows have come
        arch::nvidia::mbarrier kept_with_others, passing_with_others[2]; ///< among them rows of other sequences
        stage_barriers<Stages> passing;

        /// Called by one lane of the block, before a barrier of it.
        TEGULA_INLINE void initialize()
        {
            for (arch::nvidia::mbarrier* one :
                 {&kept, &kept_with_others, &passing_with_others[0], &passing_with_others[1]})
                arch::nvidia::mbarrier_init(one, 1);
            passing.initialize(4 * consumers);
            arch::nvidia::fence_mbarrier_init();
        }
    };

    using dq_sums = std::conditional_t<halves, halved_query_gradient_sums<Target, T, HeadDim, Columns>,
                                       query_gradient_sums<Target, T, AddsDq && !halves ? HeadDim : 64, Columns>>;

    // In shared memory: the kept rows of the consumers, then stages of both that go by. With AddsDq there are two buffers of dS,
    // or of P and dS, and dQ on its way to the sums. Two numbers of each query of a stage follow, then the control.
    static constexpr index_t kept_value_byte = Rows / 64 * kept_head::bytes;
    static constexpr index_t first_stage_byte = Rows / 64 * (kept_head::bytes + kept_value::bytes);
    static constexpr index_t stage_bytes = passing_head::bytes + passing_value::bytes;
    static constexpr index_t number_bytes = columns * static_cast<index_t>(sizeof(float)); ///< bytes of one of the two
    static constexpr index_t scores_byte = first_stage_byte + Stages * stage_bytes;
    static constexpr index_t sums_byte = scores_byte + (AddsDq ? 2 * dq_sums::scores_bytes : 0);
    static constexpr TEGULA_HOST_DEVICE index_t number_byte(int stage)
    {
        return sums_byte + (AddsDq ? dq_sums::sums_bytes : 0) + stage * 2 * number_bytes;
    }
    static constexpr index_t control_at = number_byte(Stages);
    static constexpr index_t shared_bytes = control_at + static_cast<index_t>(sizeof(control));

    /// 32-bit registers of a lane for its gradients and both products of a tile of scores. Wide tiles of 128 rows are for dQ.
    /// In halves dQ takes the place of the products.
    static constexpr index_t gradient_columns = halves        ? (HeadDim + ValueDim) / 2
                                                : shares_rows ? max(HeadDim, ValueDim)
                                                : is_wide     ? HeadDim
                                                              : HeadDim + ValueDim;
    static constexpr int held = static_cast<int>(gradient_columns + 2 * columns) / 2;
    /// As many as consumers can have: changes of scores take those that gradients leave. With 24 the copying warp of halves
    /// spills two.
    static constexpr warpgroup_registers registers =
        halves ? warpgroup_registers{40, 232} : warpgroup_registers{24, 240};

    /// True, or the compilation stops with the rule that the tile breaks.
    static consteval bool check()
    {
        return detail::check_warp_specialized_tile<Target, shared_bytes, held, registers.consumer>();
    }
};

namespace detail {

/// Columns of a tile of scores, and of those that are worked on at once.
struct wgmma_gradient_columns
{
    index_t all, chunk;
};

/// | columns of Q, K and of V | cost    | all | chunk | because
/// | any                      | none    | 64  | 32    | two numbers of each query of a chunk are in registers
/// | both to 64               | higher  | 64  | 16    | with 32 ptxas spills a register with a mask and a bias
/// | more                     | low     | 64  | 16    | the same
/// | more                     | higher  | 32  | 16    | next to 128 registers of gradients and 64 of scores ptxas
/// |                          |         |     |       | spills one with dropout, up to 110 with all changes
consteval wgmma_gradient_columns wgmma_gradient_columns_for(index_t head_dim, index_t value_dim,
                                                            internal::change_cost cost)
{
    using enum internal::change_cost;
    if (cost == none)
        return {64, 32};
    return {head_dim + value_dim > 128 && cost > low ? 32 : 64, 16};
}

/// The tile of wide gradients that keeps `Rows` rows. It has as many stages as fit the shared memory, up to four, and
/// 64 columns, or 32 if 64 leave one stage.
template <class Target, class T, index_t HeadDim, index_t ValueDim, index_t Rows>
struct wide_wgmma_gradient_tile
{
    static constexpr index_t row_bytes = (HeadDim + ValueDim) * static_cast<index_t>(sizeof(T));
    static constexpr index_t room = Target::chip().shared_bytes - Rows * row_bytes - 2048; // numbers and control
    static constexpr index_t columns = room / (64 * row_bytes) > 1 ? 64 : 32;
    static constexpr int stages = static_cast<int>(min(room / (columns * row_bytes), index_t{4}));
    using type = warp_specialized_gradient_tile<Target, T, HeadDim, ValueDim, stages, columns, 32, Rows>;
};

/// The tile of blocks that add to dQ. Next to both gradients of up to 64 columns consumers hold scores of 128 queries.
template <class Target, class T, index_t HeadDim, index_t ValueDim, internal::change_cost Cost>
struct wgmma_fused_gradient_tile
{
    static constexpr bool narrow = HeadDim + ValueDim <= 128 && Cost == internal::change_cost::none;
    static constexpr bool full = HeadDim + ValueDim == 256 && Cost == internal::change_cost::highest;
    static constexpr wgmma_gradient_columns columns = wgmma_gradient_columns_for(HeadDim, ValueDim, Cost);
    using type = warp_specialized_gradient_tile<Target, T, HeadDim, ValueDim, 2, narrow ? 128 : columns.all,
                                                full ? 8 : columns.chunk, 128, true>;
};
template <class Target, class T, index_t HeadDim, index_t ValueDim, internal::change_cost Cost>
    requires(HeadDim + ValueDim > 256)
struct wgmma_fused_gradient_tile<Target, T, HeadDim, ValueDim, Cost>
{
    using type = warp_specialized_gradient_tile<Target, T, HeadDim, ValueDim, 2, 64, 32, 64, true>;
};

/// The tile of the kernel that keeps keys or, if Rows is 128, queries.
template <class Target, class T, index_t HeadDim, index_t ValueDim, index_t Rows, internal::change_cost Cost>
struct wgmma_gradient_tile
{
    static constexpr wgmma_gradient_columns columns = wgmma_gradient_columns_for(HeadDim, ValueDim, Cost);
    using type = warp_specialized_gradient_tile<Target, T, HeadDim, ValueDim, 4, columns.all, columns.chunk>;
};
template <class Target, class T, index_t HeadDim, index_t ValueDim, index_t Rows, internal::change_cost Cost>
    requires(HeadDim + ValueDim > 256)
struct wgmma_gradient_tile<Target, T, HeadDim, ValueDim, Rows, Cost>
    : wide_wgmma_gradient_tile<Target, T, HeadDim, ValueDim, Rows>
{};

} // namespace detail

/// The tile that is shipped for 16-bit elements, up to so many columns of Q and K, and of V, and kernels of the variant
/// and the scores. Its own columns are these rounded up to a multiple of 64, up to 256. Up to 256 columns of K and V
/// together it has four stages: 128 KB for 128 of each, next to 64 KB of kept rows, if nothing changes the scores.
template <class Target, class T, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using warp_specialized_gradient_tile_for =
    typename detail::wgmma_gradient_tile<Target, T, round_up(HeadDim, 64), round_up(ValueDim, 64), 128,
                                         internal::cost_of_changes<Variant, Score>()>::type;

/// The tile of the kernel that keeps keys. Past 256 columns of K and V together two consumers share 64 keys.
template <class Target, class T, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using warp_specialized_key_gradient_tile_for =
    typename detail::wgmma_gradient_tile<Target, T, round_up(HeadDim, 64), round_up(ValueDim, 64), 64,
                                         internal::cost_of_changes<Variant, Score>()>::type;

/// The tile of warp_specialized_fused_backward_for.
template <class Target, class T, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using warp_specialized_fused_gradient_tile_for =
    typename detail::wgmma_fused_gradient_tile<Target, T, round_up(HeadDim, 64), round_up(ValueDim, 64),
                                               internal::cost_of_changes<Variant, Score>()>::type;

} // namespace tegula
