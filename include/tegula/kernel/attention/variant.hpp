#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/core/config.hpp>

#include <type_traits>

/// The properties that an attention kernel is compiled for. All else is a run-time value: see arguments.hpp.

namespace tegula {

/// Which keys a query sees.
enum class attention_mask {
    none,    ///< all of its sequence; attention_arguments::band is not read
    band,    ///< those of attention_band: causal, sliding window, prefix
    lists,   ///< those of the band that lie in the blocks of attention_block_lists
    boolean, ///< those of the band whose element of attention_boolean_mask is not 0
};

/// The numbers that are added to the scores.
enum class attention_bias {
    none,
    tensor, ///< attention_bias_tensor
    alibi,  ///< -slope * |distance| by attention_alibi
};

/// Whether weights (elements of the softmax) are dropped.
enum class attention_weights {
    all,     ///< none is; attention_arguments::dropout is not read
    dropped, ///< those that attention_arguments::dropout names; the others are divided by the probability to be kept
};

/// Where keys and values lie.
enum class attention_cache {
    contiguous, ///< rows of a sequence are row_stride apart
    paged, ///< in pages that attention_pages names, each of a multiple of the tile's keys; by tensor copies, of 16 keys
    /// In pages of any number of keys, such as 16: the page of each key is looked up a tile ahead. Lanes of a wave that load
    /// the same keys share the divisions and reads of the table (row_search).
    paged_by_key,
};

/// The meaning of the rows of a block's tile.
enum class attention_heads {
    apart,  ///< queries of one head
    packed, ///< queries of all heads that share keys; heads vary fastest, so that few queries fill a tile
};

/// Which lengths of sequences a kernel by tensor copies takes; others take both.
enum class attention_sequences {
    of_one_length, ///< seq_q queries and seq_k keys each
    of_any_length, ///< attention_lengths
};

/// The part of a kernel's type that says which attention it computes; every combination is another instantiation.
template <attention_mask Mask = attention_mask::none, attention_bias Bias = attention_bias::none,
          attention_weights Weights = attention_weights::all, attention_cache Cache = attention_cache::contiguous,
          attention_heads Heads = attention_heads::apart>
struct attention_variant
{
    static_assert(Heads == attention_heads::apart || Mask != attention_mask::lists,
                  "tegula: block lists are by head; heads packed into the rows of a tile have none");

    static constexpr attention_mask mask = Mask;
    static constexpr attention_bias bias = Bias;
    static constexpr bool dropout = Weights == attention_weights::dropped;
    static constexpr attention_cache cache = Cache;
    static constexpr bool in_pages = Cache != attention_cache::contiguous;
    static constexpr attention_heads heads = Heads;
};

namespace detail {

/// Makes uniform numbers opaque on GPUs with scalar registers. Values that depend on them alone are then computed in
/// each round of a loop, not held across it in more registers than there are. Elsewhere it would cost vector registers.
template <class Target, class... T>
TEGULA_INLINE void make_scalars_opaque(T&... numbers)
{
    if constexpr (Target::vendor == vendor::amd)
        (Target::make_opaque(numbers), ...);
}

} // namespace detail

/// The place of a score, in elements. Queries and keys count from the start of their own sequence.
struct attention_place
{
    index_t batch = 0;
    index_t head = 0; ///< head of the queries
    index_t query = 0;
    index_t key = 0;
};

/// The score functor that leaves scale * (q . k) as it is. A user's own functor has the same members; its data members are
/// run-time values. Scores are float; the reference asks for double, too, if the functor is a template.
///
///   operator()(score, place)  the new score
///   derivative(score, place)  its derivative by `score`; the backward pass alone calls it
///   visible(place)            optional: false hides the key from the query, in addition to the mask; else none is.
///                             Keys whose places are all hidden are still read; a band or block lists save that.
///   rounding_error()          optional, for the reference's error bounds: how far from the exact score one that is computed in
///                             float may be, absolutely. Without it 2^-22 * (|score| + 1)
///   reads_memory              optional, a static constant: false tells that no member reads memory. Tiles can then
///                             have more keys without spills (tile_table.hpp)
struct unchanged_score
{
    template <class Real>
    TEGULA_INLINE Real operator()(Real score, const attention_place&) const
    {
        return score;
    }
    template <class Real>
    TEGULA_INLINE Real derivative(Real, const attention_place&) const
    {
        return 1;
    }
};

namespace detail {

/// Whether a functor reads memory: it does unless it says that it does not.
template <class Score>
consteval bool functor_reads_memory()
{
    if constexpr (std::is_same_v<Score, unchanged_score>)
        return false;
    else if constexpr (requires { Score::reads_memory; })
        return Score::reads_memory;
    else
        return true;
}

/// Whether a functor shows the key to the query: it does unless it has a member that says otherwise.
template <class Score>
TEGULA_INLINE bool is_shown([[maybe_unused]] const Score& score, [[maybe_unused]] const attention_place& at)
{
    if constexpr (requires { score.visible(at); })
        return score.visible(at);
    else
        return true;
}

/// The place that a functor is asked about. Scores past the last query or key, which are hidden, get the last one's
/// place: what the functor reads has no elements past it.
template <class Score>
TEGULA_INLINE attention_place place_for(attention_place at, index_t queries, index_t keys)
{
    if constexpr (functor_reads_memory<Score>()) {
        at.query = at.query < queries ? at.query : queries - 1;
        at.key = at.key < keys ? at.key : keys - 1;
    }
    return at;
}

} // namespace detail

/// The changes that are made to scores between the two products, as a run-time value.
struct attention_changes
{
    attention_mask mask = attention_mask::none;
    attention_bias bias = attention_bias::none;
    bool dropout = false;
    bool functor = false; ///< a score functor other than unchanged_score
    bool functor_reads_memory = false;
};

/// The changes that a kernel makes.
template <class Variant, class Score = unchanged_score>
constexpr attention_changes changes_of()
{
    return {Variant::mask, Variant::bias, Variant::dropout, !std::is_same_v<Score, unchanged_score>,
            detail::functor_reads_memory<Score>()};
}

/// Whether a kernel does more to its scores than to multiply them and to hide what is outside a band.
template <class Variant, class Score = unchanged_score>
constexpr bool changes_scores()
{
    return Variant::mask == attention_mask::lists || Variant::mask == attention_mask::boolean ||
           Variant::bias != attention_bias::none || Variant::dropout || !std::is_same_v<Score, unchanged_score>;
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::is_shown;
using tegula::detail::make_scalars_opaque;
using tegula::detail::place_for;
} // namespace tegula::internal
