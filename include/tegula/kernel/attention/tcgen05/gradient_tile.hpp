#pragma once

#include <tegula/block/tensor_core_chain.hpp>
#include <tegula/block/tensor_core_ring.hpp>
#include <tegula/block/tensor_operand.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/backward/change_cost.hpp>
#include <tegula/kernel/attention/tcgen05/query_gradient_sums.hpp>
#include <tegula/kernel/attention/tile.hpp>

namespace tegula {

/// The operands of a backward pass of attention on sm_100a. A block keeps 128 rows, of K and V or of Q and dO, and tiles of
/// the others go by. A warpgroup has a kept row in each thread.
///
///   HeadDim, ValueDim  the most columns of Q and K, and of V and O
///   Columns            of a tile of scores: rows that go by
///   Stages             of rows that go by
template <class Target, class T, index_t HeadDim, index_t ValueDim, index_t Columns, int Stages>
struct tcgen05_gradient_operands
{
    static_assert(sizeof(T) == 2, "tegula: gradients by tcgen05 have inputs of 16 bits");

    using target = Target;
    using element = T;
    static constexpr index_t rows = 128; ///< rows that a block keeps
    static constexpr index_t columns = Columns;
    static constexpr index_t head_dim = HeadDim;
    static constexpr index_t value_dim = ValueDim;
    static constexpr int stages = Stages;
    static constexpr int consumers = 2; ///< warpgroups that work on scores
    static constexpr int block_threads = 128 * (consumers + 1);
    static constexpr int tensor_columns = 512; ///< the power of two above what either kernel takes: all there are

    using kept_loader = loads_at_any_distance;

    // [kept rows, columns of the matrix] and [rows that go by, columns of the matrix].
    using kept_head = tcgen05_operand<T, rows, HeadDim>;
    using kept_value = tcgen05_operand<T, rows, ValueDim>;
    using passing_head = tcgen05_operand<T, columns, HeadDim>;
    using passing_value = tcgen05_operand<T, columns, ValueDim>;
    /// The memory of the rows that go by, as the tensor core reads it transposed.
    using head_across = tcgen05_operand<T, HeadDim, columns, operand_order::row_contiguous>;
    using value_across = tcgen05_operand<T, ValueDim, columns, operand_order::row_contiguous>;
    /// Scores along the columns, gradients over the rows that go by.
    using head_chain = tensor_core_chain<Target, kept_head, passing_head, head_across>;
    using value_chain = tensor_core_chain<Target, kept_value, passing_value, value_across>;

    // In shared memory: the kept rows, then stages of both that go by.
    static constexpr index_t kept_value_byte = kept_head::bytes;
    static constexpr index_t first_stage_byte = kept_head::bytes + kept_value::bytes;
    static constexpr index_t stage_bytes = passing_head::bytes + passing_value::bytes;
    static constexpr index_t number_bytes = columns * static_cast<index_t>(sizeof(float)); ///< a number of each query
    static constexpr index_t scores_byte = first_stage_byte + Stages * stage_bytes;        ///< dS, or what else follows

    /// As for chunks of 32 columns: changes of scores take the registers that shorter ones leave.
    static constexpr warpgroup_registers registers = warpgroup_registers::of(consumers, 4 * 32);
};

/// The tiles of a backward pass of attention on sm_100a, whose two warpgroups take tiles of 64 rows that go by in turns. The
/// tensor core multiplies for one while the other makes gradients of scores.
///
/// HeadDim and ValueDim are the most columns of Q and K, and of V and O, 64 or 128.
///
///   Chunk   columns of scores that a thread has in registers at once
///   AddsDq  whether blocks that keep keys add to dQ, too, by tensor_query_gradient_sums
///
/// Checked at compile time: what is kept and the stages fit the shared memory.
template <class Target, class T, index_t HeadDim, index_t ValueDim, int Stages, index_t Chunk, bool AddsDq = false>
struct tcgen05_gradient_tile : tcgen05_gradient_operands<Target, T, HeadDim, ValueDim, 64, Stages>
{
    static_assert((HeadDim == 64 || HeadDim == 128) && (ValueDim == 64 || ValueDim == 128),
                  "tegula: a backward pass by tcgen05 has 64 or 128 columns, whose gradients and tiles of "
                  "scores fit tensor memory; take an attention_backward_for");
    static_assert(!AddsDq || HeadDim == 128,
                  "tegula: blocks that add to dQ by tcgen05 have 128 columns of Q and K, a lane of tensor memory each; "
                  "take a tcgen05_backward_for");

    using operands = tcgen05_gradient_operands<Target, T, HeadDim, ValueDim, 64, Stages>;
    using operands::columns, operands::consumers, operands::number_bytes, operands::scores_byte,
        operands::tensor_columns;
    static constexpr index_t chunk = Chunk;
    static constexpr bool adds_dq = AddsDq;

    struct control
    {
        arch::nvidia::mbarrier kept;   ///< the kept rows have come
        arch::nvidia::mbarrier stored; ///< all waves have stored them to tensor memory
        arch::nvidia::mbarrier kept_with_others, passing_with_others[2]; ///< among them rows of other sequences
        arch::nvidia::mbarrier scores[consumers];                        ///< scores of both products are there
        arch::nvidia::mbarrier read[consumers];                          ///< the four waves have read Q K^T and dO V^T
        arch::nvidia::mbarrier weights[consumers];                       ///< the four waves have stored P and dS
        arch::nvidia::mbarrier gradients[consumers];                     ///< P and dS have been read
        arch::nvidia::mbarrier dq[consumers];                            ///< dQ is there
        arch::nvidia::mbarrier dq_read[consumers];                       ///< the four waves have read dQ
        arch::nvidia::mbarrier done;                                     ///< all products are done
        tensor_core_stages<Stages, 1> passing;
        std::uint32_t tensor_address;

        /// Called by one lane of the block, before a barrier of it.
        TEGULA_INLINE void initialize()
        {
            for (arch::nvidia::mbarrier* one :
                 {&kept, &kept_with_others, &passing_with_others[0], &passing_with_others[1], &done})
                arch::nvidia::mbarrier_init(one, 1);
            arch::nvidia::mbarrier_init(&stored, 4 * consumers);
            static_for<consumers>([&](auto c) {
                for (arch::nvidia::mbarrier* one : {&scores[c], &gradients[c], &dq[c]})
                    arch::nvidia::mbarrier_init(one, 1);
                for (arch::nvidia::mbarrier* one : {&read[c], &weights[c], &dq_read[c]})
                    arch::nvidia::mbarrier_init(one, 4);
            });
            passing.initialize();
            arch::nvidia::fence_mbarrier_init();
        }
    };

    using dq_sums = tensor_query_gradient_sums<Target, T, 128, columns>;

    // Behind the stages: with AddsDq dS of each consumer; two numbers of each query of a stage, then the control.
    static constexpr index_t first_number_byte = scores_byte + (AddsDq ? consumers * dq_sums::scores::bytes : 0);
    static constexpr TEGULA_HOST_DEVICE index_t number_byte(int stage)
    {
        return first_number_byte + stage * 2 * number_bytes;
    }
    static constexpr index_t control_at = number_byte(Stages);
    static constexpr index_t shared_bytes = control_at + static_cast<index_t>(sizeof(control));

    /// Places in tensor memory, in columns: Q K^T and dO V^T of each consumer, or these transposed; dS; the gradients; kept
    /// rows as operands, where there is room: shared memory, from which the tensor core would read them in each step,
    /// limits it. Where that makes room for more of them, the consumers share the place of dO V^T: one tile of it is computed
    /// when the other consumer has read the one before.
    ///
    /// Blocks that keep queries have room for dS: the next scores are computed when these have been read. The commit of
    /// scores says that the dS before has been read, too: its product was issued earlier. Other blocks write P and dS over
    /// Q K^T, chunk by chunk. With AddsDq dQ^T follows them there.
    template <bool KeepsKeys>
    struct places
    {
        static constexpr bool has_place_of_ds = !KeepsKeys;
        static constexpr index_t ds_columns = has_place_of_ds ? columns / 2 : 0; ///< two elements in a word
        static constexpr index_t gradient_columns = HeadDim + (KeepsKeys ? ValueDim : 0);
        static constexpr index_t stored_head = HeadDim / 2, stored_value = ValueDim / 2;
        static constexpr index_t others = consumers * (columns + ds_columns) + gradient_columns;
        static constexpr bool shares_d_weights =
            others + consumers * columns + stored_head + stored_value > tensor_columns;
        static constexpr bool tells_reads = shares_d_weights || has_place_of_ds; ///< whether consumers tell of reads

        static constexpr index_t first_ds = (consumers + (shares_d_weights ? 1 : consumers)) * columns;
        static constexpr index_t head = first_ds + consumers * ds_columns;
        static constexpr index_t value = head + HeadDim;
        static constexpr index_t kept_value = head + gradient_columns;
        static_assert(kept_value <= tensor_columns);
        static constexpr bool stores_value = kept_value + stored_value <= tensor_columns;
        static constexpr index_t kept_head = kept_value + (stores_value ? stored_value : 0);
        static constexpr bool stores_head = kept_head + stored_head <= tensor_columns;

        static constexpr TEGULA_HOST_DEVICE std::uint32_t scores(int consumer)
        {
            return static_cast<std::uint32_t>(columns * consumer);
        }
        static constexpr TEGULA_HOST_DEVICE std::uint32_t d_weights(int consumer)
        {
            return static_cast<std::uint32_t>(columns * (consumers + (shares_d_weights ? 0 : consumer)));
        }
        static constexpr TEGULA_HOST_DEVICE std::uint32_t ds(int consumer)
        {
            return has_place_of_ds ? static_cast<std::uint32_t>(first_ds + ds_columns * consumer)
                                   : scores(consumer) + static_cast<std::uint32_t>(Chunk / 2);
        }
        /// Columns of scores from the first of a chunk to that of its dS.
        static constexpr TEGULA_HOST_DEVICE std::uint32_t ds_of_chunk(std::uint32_t column)
        {
            return has_place_of_ds ? column / 2 : column;
        }
        static constexpr index_t ds_chunk = has_place_of_ds ? columns : Chunk; ///< columns of dS without a gap
    };

    /// True, or the compilation stops with the rule that the tile breaks.
    static consteval bool check()
    {
        constexpr long limit = Target::chip().shared_bytes;
        return sizeof(attention_rules::tiles_fit_shared_memory<(shared_bytes <= limit), shared_bytes, limit>) > 0;
    }
};

/// The tile that is shipped for an element type of 16 bits and up to so many columns of Q and K, and of V, rounded up
/// to 64 or 128. With 128 columns the four stages take 128 KB, in addition to 64 KB of kept rows. With costly changes of
/// scores chunks of 32 columns spill up to 13 registers; these have 16.
///
///   AddsDq  whether it is the tile of tcgen05_fused_backward_for
template <class Target, class T, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score, bool AddsDq = false>
using tcgen05_gradient_tile_for =
    tcgen05_gradient_tile<Target, T, round_up(HeadDim, 64), round_up(ValueDim, 64), 4,
                          (internal::cost_of_changes<Variant, Score>() > internal::change_cost::low ? 16 : 32), AddsDq>;

} // namespace tegula
