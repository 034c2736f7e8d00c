#pragma once

#include <tegula/kernel/attention/tcgen05/gradient_tile.hpp>

namespace tegula {

/// The tiles of a backward pass in five products of 128 columns on sm_100a, of 128 keys and 128 queries: kept rows are read
/// half as often as for tiles of 64 queries. A tile takes all tensor memory, so that both warpgroups share it, 64 queries
/// each. P is made while dK and dQ of the tile before are multiplied, and dS while the next scores are: a thread holds P of
/// its queries from one to the other. Costly changes of scores would show; tcgen05_gradient_tile hides them.
///
/// Checked at compile time: all of it fits the shared memory.
template <class Target, class T>
struct tcgen05_square_gradient_tile : tcgen05_gradient_operands<Target, T, 128, 128, 128, 2>
{
    using operands = tcgen05_gradient_operands<Target, T, 128, 128, 128, 2>;
    using operands::columns, operands::consumers, operands::stages, operands::number_bytes;
    using operands::scores_byte, operands::first_stage_byte, operands::stage_bytes;
    using typename operands::passing_head;
    static constexpr index_t chunk = 32;                        ///< columns of scores that a thread makes at once
    static constexpr index_t own_columns = columns / consumers; ///< columns of scores that a thread has
    static constexpr int chunks = static_cast<int>(own_columns / chunk);
    static constexpr bool adds_dq = true;

    struct control
    {
        arch::nvidia::mbarrier kept;                                     ///< the kept rows have come
        arch::nvidia::mbarrier kept_with_others, passing_with_others[2]; ///< among them rows of other sequences
        arch::nvidia::mbarrier scores, d_weights;                        ///< Q K^T, or dO V^T, is there
        arch::nvidia::mbarrier weights, ds;                              ///< all waves have stored P, or dS
        arch::nvidia::mbarrier weights_read;                             ///< dV has been multiplied
        arch::nvidia::mbarrier dq, dq_read;                              ///< dQ is there, and all waves have read it
        arch::nvidia::mbarrier done;                                     ///< all products are done
        /// Stages of Q and of dO. All waves free those of dO: dQ leaves through their memory.
        tensor_core_stages<stages, 1> passing, passing_values;
        std::uint32_t tensor_address;

        /// Called by one lane of the block, before a barrier of it.
        TEGULA_INLINE void initialize()
        {
            for (arch::nvidia::mbarrier* one :
                 {&kept, &kept_with_others, &passing_with_others[0], &passing_with_others[1], &scores, &d_weights,
                  &weights_read, &dq, &done})
                arch::nvidia::mbarrier_init(one, 1);
            for (arch::nvidia::mbarrier* one : {&weights, &ds, &dq_read})
                arch::nvidia::mbarrier_init(one, 4 * consumers);
            passing.initialize();
            passing_values.ring.initialize(4 * consumers);
            arch::nvidia::fence_mbarrier_init();
        }
    };

    using dq_sums = tensor_query_gradient_sums<Target, T, 128, columns>;

    // Behind the stages: dS; two numbers of each query of a stage, then the control.
    static constexpr index_t first_number_byte = scores_byte + dq_sums::scores::bytes;
    static constexpr TEGULA_HOST_DEVICE index_t number_byte(int stage)
    {
        return first_number_byte + stage * 2 * number_bytes;
    }
    static constexpr index_t control_at = number_byte(stages);
    static constexpr index_t shared_bytes = control_at + static_cast<index_t>(sizeof(control));

    /// Where a warpgroup's dQ lies on its way to the sums, by halves: dO of its stage, then dS. Both have been read.
    static constexpr TEGULA_HOST_DEVICE index_t dq_byte(int half, int stage, int consumer)
    {
        return (half == 0 ? first_stage_byte + stage * stage_bytes + passing_head::bytes : scores_byte) +
               consumer * dq_sums::part_bytes;
    }

    /// Places in tensor memory, in columns: Q K^T, over which P is written chunk by chunk; dO V^T, over which dS is written
    /// so, and then dQ^T; the gradients.
    template <bool KeepsKeys>
    struct places
    {
        static_assert(KeepsKeys);
        static constexpr bool stores_head = false, stores_value = false; ///< there is no room for kept rows
        static constexpr std::uint32_t scores = 0, d_weights = static_cast<std::uint32_t>(columns);
        static constexpr index_t head = 2 * columns;
        static constexpr index_t value = head + operands::head_dim;
        static_assert(value + operands::value_dim <= operands::tensor_columns);
    };

    /// True, or the compilation stops with the rule that the tile breaks.
    static consteval bool check()
    {
        constexpr long limit = Target::chip().shared_bytes;
        return sizeof(attention_rules::tiles_fit_shared_memory<(shared_bytes <= limit), shared_bytes, limit>) > 0;
    }
};

/// The tile of tcgen05_fused_backward_for: tcgen05_square_gradient_tile with 128 columns of both and scores that change
/// by a band and slopes alone.
template <class Target, class T, index_t HeadDim, index_t ValueDim, class Variant, class Score>
using tcgen05_fused_gradient_tile_for =
    std::conditional_t<(round_up(HeadDim, 64) == 128 && round_up(ValueDim, 64) == 128 &&
                        std::is_same_v<Score, unchanged_score> &&
                        internal::cost_of_changes<Variant, Score>() <= internal::change_cost::low),
                       tcgen05_square_gradient_tile<Target, T>,
                       tcgen05_gradient_tile_for<Target, T, HeadDim, ValueDim, Variant, Score, true>>;

} // namespace tegula
