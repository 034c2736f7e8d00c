#pragma once

#include <tegula/block/online_softmax.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/block/warpgroup_chain.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/tensor_copy_attention.hpp>

namespace tegula {

namespace detail {

/// The swizzle of tiles with so many contiguous elements.
template <class T>
constexpr swizzle_mode swizzle_of_columns(index_t columns)
{
    return columns * static_cast<index_t>(sizeof(T)) % 128 == 0 ? swizzle_mode::bytes_128 : swizzle_mode::bytes_64;
}

/// V as products read it, and as tensor copies bring it. They are the same with 16 bits. With 8 bits wgmma takes
/// contiguous keys alone, and warps make such a tile (value_transposer).
template <class T, index_t Keys, index_t ValueDim>
struct value_operands_of
{
    using operand = wgmma_operand<T, ValueDim, Keys, operand_order::row_contiguous>;
    using copied = operand;
};
template <class T, index_t Keys, index_t ValueDim>
    requires(sizeof(T) == 1)
struct value_operands_of<T, Keys, ValueDim>
{
    using operand = wgmma_operand<T, ValueDim, Keys, operand_order::k_contiguous, swizzle_mode::bytes_32>;
    using copied = shared_operand<T, ValueDim, Keys, operand_order::row_contiguous, swizzle_of_columns<T>(ValueDim)>;
};

template <class Target, class T, index_t Keys, index_t HeadDim, index_t ValueDim, int Consumers, int Stages,
          int ClusterBlocks>
using wgmma_attention_layout = tensor_copy_attention_tile<
    Target, wgmma_operand<T, 64, HeadDim, operand_order::k_contiguous, swizzle_of_columns<T>(HeadDim)>,
    wgmma_operand<T, Keys, HeadDim, operand_order::k_contiguous, swizzle_of_columns<T>(HeadDim)>,
    typename value_operands_of<T, Keys, ValueDim>::operand, Consumers, Stages,
    typename value_operands_of<T, Keys, ValueDim>::copied, ClusterBlocks>;

/// The mbarriers of copied values that warps make operands of.
template <int Stages, bool MakesValues>
struct copied_value_barriers
{
    TEGULA_INLINE void initialize_copied(int) {}
};
template <int Stages>
struct copied_value_barriers<Stages, true>
{
    stage_barriers<Stages> copied;

    TEGULA_INLINE void initialize_copied(int readers) { copied.initialize(readers); }
};

/// True, or the compilation stops with the rule that a tile breaks: it takes so many bytes of shared memory, and its
/// consumers hold `Held` of their registers for matrices in addition to `Others`.
template <class Target, index_t SharedBytes, int Held, int Registers, int Others = 40>
consteval bool check_warp_specialized_tile()
{
    namespace rules = attention_rules;
    constexpr long limit = Target::chip().shared_bytes;
    return sizeof(rules::tiles_fit_shared_memory<(SharedBytes <= limit), SharedBytes, limit>) &&
           sizeof(rules::rows_fit_the_registers<(Held + Others <= Registers), Held, Registers - Others>);
}

} // namespace detail

/// The tiles of a warp-specialised attention. Each of the block's consumer warpgroups takes 64 queries of one head; all
/// go over the same keys, Keys at a time. HeadDim and ValueDim are the most columns of Q and K, and of V and O.
///
/// ClusterBlocks: blocks of a cluster that copy a share of K and V each, to all of them.
///
/// Checked at compile time: output, scores and probabilities fit the registers of a consumer in addition to 40 others,
/// and the queries and stages fit the shared memory.
template <class Target, class T, index_t Keys, index_t HeadDim, index_t ValueDim, int Consumers = 2, int Stages = 2,
          class Exponentials = hardware_exponentials, int ClusterBlocks = 1>
struct warp_specialized_attention_tile
    : detail::wgmma_attention_layout<Target, T, Keys, HeadDim, ValueDim, Consumers, Stages, ClusterBlocks>
{
    static_assert(sizeof(T) <= 2,
                  "tegula: warp-specialised attention has inputs of 16 or 8 bits; take an attention_tile");
    static_assert(HeadDim % 64 == 0 && ValueDim % 64 == 0 && Keys % (32 / static_cast<index_t>(sizeof(T))) == 0,
                  "tegula: columns of a warp-specialised attention are multiples of 64, keys of 16 or, of 8 bits, 32");
    static_assert(Stages >= 2,
                  "tegula: warp-specialised attention takes at least 2 stages: values of a tile of keys are read after "
                  "the next tile's have come");
    static_assert(sizeof(T) == 2 || Consumers <= 2,
                  "tegula: beside three consumers warps have no registers to make values of 8 bits; take two");

    static_assert(ClusterBlocks == 1 || sizeof(T) == 2,
                  "tegula: a block makes values of 8 bits for itself; take a tile without a cluster");

    using base = detail::wgmma_attention_layout<Target, T, Keys, HeadDim, ValueDim, Consumers, Stages, ClusterBlocks>;
    using typename base::key_operand;
    using typename base::query_operand;
    using typename base::value_operand;

    /// The last warps of the producing warpgroup make values, if any do.
    static constexpr int making_warps = base::makes_values ? 2 : 0;

    struct control : detail::copied_value_barriers<Stages, base::makes_values>
    {
        arch::nvidia::mbarrier queries[Consumers];
        arch::nvidia::mbarrier queries_read[Consumers]; ///< their memory takes the next ones; by resident blocks
        arch::nvidia::mbarrier last_values;             ///< the last values have come, with other sequences' after them
        stage_barriers<Stages> keys;
        stage_barriers<Stages> values;

        /// Called by one lane of the block, before a barrier of it.
        TEGULA_INLINE void initialize()
        {
            static_for<Consumers>([&](auto c) {
                arch::nvidia::mbarrier_init(&queries[c], 1);
                arch::nvidia::mbarrier_init(&queries_read[c], 4);
            });
            arch::nvidia::mbarrier_init(&last_values, 1);
            keys.initialize(4 * Consumers * ClusterBlocks);
            values.initialize(4 * Consumers * ClusterBlocks, max(making_warps, 1));
            this->initialize_copied(making_warps);
            arch::nvidia::fence_mbarrier_init();
        }
    };
    // O passes through the memory of its queries. Where there is room, it has its own, so that the next queries need not
    // wait for it.
    static constexpr index_t output_bytes = Consumers * query_operand::bytes;
    static constexpr index_t first_output_byte =
        round_up(base::control_at + static_cast<index_t>(sizeof(control)), 128);
    static constexpr bool output_apart = first_output_byte + output_bytes <= Target::chip().shared_bytes;
    static constexpr index_t shared_bytes =
        output_apart ? first_output_byte + output_bytes : base::control_at + static_cast<index_t>(sizeof(control));

    /// The part of one consumer, for functions on scores that take a tile.
    struct consumer
    {
        using target = warpgroup<Target>;
        using element = T;
        static constexpr index_t queries = 64;
        static constexpr index_t keys = Keys;
        using chain = warpgroup_chain<Target, query_operand, key_operand, value_operand>;
        using softmax =
            online_softmax<target, typename chain::score_distribution, typename chain::output_mma, Exponentials>;
    };

    /// 32-bit registers of a lane for output, scores and probabilities; of 8 bits also for the sums of a tile of V.
    static constexpr int held =
        static_cast<int>(base::makes_values ? ValueDim + consumer::chain::sum_columns + Keys + Keys / 4
                                            : ValueDim + Keys + Keys / 2) /
        2;
    // Warps that make values use 33.
    static constexpr warpgroup_registers registers = base::makes_values && Consumers == 2
                                                         ? warpgroup_registers{40, 232}
                                                         : warpgroup_registers::of(Consumers, held + 16);

    /// True, or the compilation stops with the rule that the tile breaks.
    static consteval bool check()
    {
        return detail::check_warp_specialized_tile<Target, shared_bytes, held, registers.consumer,
                                                   consumer::chain::sum_slices == 1 ? 40 : 32>();
    }
};

/// The tile that is shipped for an element type, up to so many columns of Q and K, and of V, and for kernels of the
/// variant and the scores. Its own columns are these rounded up to a multiple of 64.
///
///   ScaleRows  of 8 bits: keys of which blocks with scales of their own are multiples; 0: there are no such blocks, or
///              they are of whole tiles
template <class Target, class T, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score, index_t ScaleRows = 0>
using warp_specialized_attention_tile_for = warp_specialized_attention_tile<
    Target, T,
    internal::tensor_copy_size_of<Target, T, HeadDim, ValueDim, changes_of<Variant, Score>(), ScaleRows>().keys,
    round_up(HeadDim, 64), round_up(ValueDim, 64),
    internal::tensor_copy_size_of<Target, T, HeadDim, ValueDim, changes_of<Variant, Score>(), ScaleRows>().queries /
        64>;

/// That tile for clusters of two blocks, which share copies of K and V: half of the bytes come from L2. V of 128 columns,
/// Q and K of up to 128, scores that nothing changes, and no mask.
template <class Target, class T, index_t HeadDim, index_t ValueDim = HeadDim>
using clustered_attention_tile_for = warp_specialized_attention_tile<
    Target, T, internal::tensor_copy_size_of<Target, T, HeadDim, ValueDim, attention_changes{}>().keys,
    round_up(HeadDim, 64), round_up(ValueDim, 64),
    internal::tensor_copy_size_of<Target, T, HeadDim, ValueDim, attention_changes{}>().queries / 64, 2,
    hardware_exponentials, 2>;

} // namespace tegula
