#pragma once

#include <tegula/block/exponentials.hpp>
#include <tegula/block/online_softmax.hpp>
#include <tegula/block/tensor_core_chain.hpp>
#include <tegula/block/tensor_core_ring.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/tensor_copy_attention.hpp>

namespace tegula {

namespace tcgen05_rules {

template <bool Ok, int Columns, int Limit>
struct scores_and_output_fit_tensor_memory
{
    static_assert(Ok,
                  "tegula: scores, weights and output of all consumers must fit tensor memory, rounded up to a power "
                  "of two of columns; take one consumer, fewer keys, or narrower heads; the arguments are "
                  "{ok, columns, limit}");
};

} // namespace tcgen05_rules

namespace detail {

template <class Target, class T, index_t Keys, index_t HeadDim, index_t ValueDim, int Consumers, int Stages>
using tcgen05_attention_layout =
    tensor_copy_attention_tile<Target, tcgen05_operand<T, 128, HeadDim>, tcgen05_operand<T, Keys, HeadDim>,
                               tcgen05_operand<T, ValueDim, Keys, operand_order::row_contiguous>, Consumers, Stages>;

} // namespace detail

/// The tiles of an attention on sm_100a. Each of the block's consumer warpgroups takes 128 queries of one head, a row
/// in each thread; all go over the same keys, Keys at a time. HeadDim and ValueDim are the most columns of Q and K, and
/// of V and O.
///
///   Exponentials  how exponentials of scores are computed, see block/exponentials.hpp. By hardware_exponentials, the
///                 16 results a clock of a multiprocessor of sm_100a take as long as the products of 128 columns
///
/// Checked at compile time: scores, weights and output fit the tensor memory, the queries and stages the shared memory.
template <class Target, class T, index_t Keys, index_t HeadDim, index_t ValueDim, int Consumers = 2, int Stages = 2,
          class Exponentials = hardware_exponentials>
struct tcgen05_attention_tile : detail::tcgen05_attention_layout<Target, T, Keys, HeadDim, ValueDim, Consumers, Stages>
{
    static_assert(sizeof(T) == 2, "tegula: attention by tcgen05 has inputs of 16 bits; take an attention_tile");
    static_assert(HeadDim % 64 == 0 && ValueDim % 64 == 0 && Keys % 32 == 0 && Keys <= 128,
                  "tegula: columns of an attention by tcgen05 are multiples of 64, keys of 32 up to 128");

    using base = detail::tcgen05_attention_layout<Target, T, Keys, HeadDim, ValueDim, Consumers, Stages>;
    using typename base::key_operand;
    using typename base::query_operand;
    using typename base::value_operand;

    struct control
    {
        arch::nvidia::mbarrier queries[Consumers]; ///< queries have come
        arch::nvidia::mbarrier scores[Consumers];  ///< scores are there
        arch::nvidia::mbarrier read[Consumers];    ///< the four waves have read the scores
        arch::nvidia::mbarrier weights[Consumers]; ///< the four waves have stored weights
        arch::nvidia::mbarrier output[Consumers];  ///< output is there: the weights have been read
        arch::nvidia::mbarrier last_values;        ///< the last values have come, with other sequences' after them
        tensor_core_stages<Stages, 1> keys;
        tensor_core_stages<Stages, 1> values;
        std::uint32_t tensor_address;

        /// Called by one lane of the block, before a barrier of it.
        TEGULA_INLINE void initialize()
        {
            static_for<Consumers>([&](auto c) {
                for (auto* barrier : {&queries[c], &scores[c], &output[c]})
                    arch::nvidia::mbarrier_init(barrier, 1);
                for (auto* barrier : {&read[c], &weights[c]})
                    arch::nvidia::mbarrier_init(barrier, 4);
            });
            arch::nvidia::mbarrier_init(&last_values, 1);
            keys.initialize();
            values.initialize();
            arch::nvidia::fence_mbarrier_init();
        }
    };
    static constexpr index_t shared_bytes = base::control_at + static_cast<index_t>(sizeof(control));

    // In tensor memory: scores, then weights of each consumer, then the outputs. Weights have columns of their own, so that
    // the next scores are computed as soon as these have been read. With 128 keys and 128 columns of V scores of one
    // consumer fit: the two take turns, and the output of one is computed while the other reads its scores.
    static constexpr index_t weight_columns = Keys / 2; ///< two weights in a word
    static constexpr int score_buffers =
        Consumers * (Keys + weight_columns + ValueDim) <= Target::chip().tensor_columns ? Consumers : 1;
    static constexpr int used_columns =
        static_cast<int>(score_buffers * Keys + Consumers * (weight_columns + ValueDim));
    static constexpr int tensor_columns = [] {
        int columns = 32;
        while (columns < used_columns)
            columns *= 2;
        return columns;
    }();
    static constexpr TEGULA_HOST_DEVICE std::uint32_t score_column(int consumer)
    {
        return static_cast<std::uint32_t>(score_buffers > 1 ? consumer * Keys : 0);
    }
    static constexpr TEGULA_HOST_DEVICE std::uint32_t weight_column(int consumer)
    {
        return static_cast<std::uint32_t>(score_buffers * Keys + consumer * weight_columns);
    }
    static constexpr TEGULA_HOST_DEVICE std::uint32_t output_column(int consumer)
    {
        return static_cast<std::uint32_t>(score_buffers * Keys + Consumers * weight_columns + consumer * ValueDim);
    }
    /// The consumer whose scores lay last where those of `consumer` are about to be written.
    static constexpr TEGULA_HOST_DEVICE int reader_before(int consumer)
    {
        return score_buffers > 1 ? consumer : (consumer + Consumers - 1) % Consumers;
    }

    /// The part of one consumer, for functions on scores that take a tile.
    struct consumer
    {
        using target = warpgroup<Target>;
        using element = T;
        static constexpr index_t queries = base::consumer_queries;
        static constexpr index_t keys = Keys;
        using chain = tensor_core_chain<Target, query_operand, key_operand, value_operand>;
        using softmax =
            online_softmax<target, typename chain::score_distribution, typename chain::output_mma, Exponentials>;
    };

    /// Scores and weights of a row are held in addition to what the loop needs.
    static constexpr warpgroup_registers registers =
        warpgroup_registers::of(Consumers, static_cast<int>(Keys + Keys / 2));

    /// True, or the compilation stops with the rule that the tile breaks.
    static consteval bool check()
    {
        constexpr long limit = Target::chip().shared_bytes;
        constexpr int columns = tensor_columns, most = Target::chip().tensor_columns;
        return sizeof(attention_rules::tiles_fit_shared_memory<(shared_bytes <= limit), shared_bytes, limit>) &&
               sizeof(tcgen05_rules::scores_and_output_fit_tensor_memory<columns <= most, columns, most>);
    }
};

/// Exponentials of the shipped tiles. On sm_100a a quarter is by polynomials, whose error of 2^-18 is far below that of
/// probabilities of 16 bits: for 128 queries, keys and columns the instruction alone would take 1024 cycles, as many as the
/// products do. On sm_103a, whose instruction is twice as fast, it computes all.
struct tcgen05_exponentials
{
    template <class Target>
    using used =
        std::conditional_t<Target::chip().has_fast_exponentials, hardware_exponentials, mixed_exponentials<1, 4, 4>>;

    template <int N, class Target>
    static TEGULA_INLINE float exp2(float x)
    {
        return used<Target>::template exp2<N, Target>(x);
    }
    template <int N, class Target>
    static TEGULA_INLINE array<float, 2> exp2_pair(const array<float, 2>& x)
    {
        return used<Target>::template exp2_pair<N, Target>(x);
    }
};

namespace detail {

template <class Target, class T, index_t HeadDim, index_t ValueDim, class Exponentials, class Variant, class Score>
struct tcgen05_attention_tile_of
{
    static constexpr attention_tile_size size =
        internal::tensor_copy_size_of<Target, T, HeadDim, ValueDim, changes_of<Variant, Score>()>();
    using type = tcgen05_attention_tile<Target, T, size.keys, round_up(HeadDim, 64), round_up(ValueDim, 64),
                                        static_cast<int>(size.queries / 128), 2, Exponentials>;
};

} // namespace detail

/// The tile that is shipped for an element type of 16 bits, up to so many columns of Q and K, and of V, and for kernels
/// of the variant and the scores. Its own columns are these rounded up to a multiple of 64, up to 256.
template <class Target, class T, index_t HeadDim, index_t ValueDim = HeadDim, class Exponentials = tcgen05_exponentials,
          class Variant = attention_variant<>, class Score = unchanged_score>
using tcgen05_attention_tile_for =
    typename detail::tcgen05_attention_tile_of<Target, T, HeadDim, ValueDim, Exponentials, Variant, Score>::type;

} // namespace tegula
