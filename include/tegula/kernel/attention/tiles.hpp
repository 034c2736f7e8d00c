#pragma once

#include <tegula/kernel/attention/tile.hpp>
#include <tegula/kernel/attention/tile_table.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

namespace detail {

/// The sizes of the table, for one of its tiles.
template <class Target, attention_form Form, class Element, index_t HeadDim, index_t ValueDim,
          attention_changes Changes = attention_changes{}>
consteval attention_tile_size attention_tile_size_of()
{
    constexpr attention_tile_size size =
        find_attention_tile(Target::chip(), Form, static_cast<int>(sizeof(Element)), HeadDim, ValueDim, Changes);
    static_assert(size.queries > 0,
                  "tegula: the table of attention's tiles (tile_table.hpp) has none for this target, element type and "
                  "number of columns; spell an attention_tile of your own");
    return size;
}

/// Keys and columns of heads are fewer than instructions of k 128 take.
template <class Target, class Element>
using short_atom = default_atom<Target, Element, Element, 64>;

template <class Target, class Element>
using attention_atom =
    std::conditional_t<has_shape<Target, Element, Element, 32, 32>,
                       mma_atom<Target, Element, Element, float, 32, 32, largest_k<Target, Element, Element, 32, 32>>,
                       short_atom<Target, Element>>;

template <class Target, class Element, index_t HeadDim, index_t ValueDim, attention_changes Changes>
struct attention_tile_of
{
    static constexpr attention_tile_size size =
        attention_tile_size_of<Target, HeadDim == latent_head_dim ? attention_form::latent : attention_form::multistage,
                               Element, HeadDim, ValueDim, Changes>();
    using atom =
        std::conditional_t<HeadDim == latent_head_dim, short_atom<Target, Element>, attention_atom<Target, Element>>;
    using type = attention_tile<Target, atom, size.queries, size.keys, HeadDim, ValueDim, size.waves, size.place,
                                size.key_values, size.column_waves>;
};

template <class Target, class Element, index_t HeadDim, index_t ValueDim>
struct two_stage_tile_of
{
    static constexpr attention_tile_size size =
        attention_tile_size_of<Target, attention_form::two_stages, Element, HeadDim, ValueDim>();
    using type = attention_tile<Target, attention_atom<Target, Element>, size.queries, size.keys, HeadDim, ValueDim,
                                size.waves, size.place, size.key_values>;
};

template <class Target, class Element>
struct latent_tile_of
{
    static constexpr attention_tile_size size =
        attention_tile_size_of<Target, attention_form::few_queries, Element, latent_head_dim, latent_value_dim>();
    static constexpr key_value_place place = Target::vendor == vendor::nvidia ? key_value_place::same : size.key_values;
    using type = attention_tile<Target, short_atom<Target, Element>, size.queries, size.keys, latent_head_dim,
                                latent_value_dim, size.waves, size.place, place, size.column_waves>;
};

template <class Target, class Element, index_t HeadDim, index_t ValueDim, attention_changes Changes>
struct decoding_tile_of
{
    static constexpr attention_tile_size size =
        attention_tile_size_of<Target, attention_form::few_queries, Element, HeadDim, ValueDim, Changes>();
    using atom = std::conditional_t<size.queries / size.waves == 32, attention_atom<Target, Element>,
                                    short_atom<Target, Element>>;
    using type = attention_tile<Target, atom, size.queries, size.keys, HeadDim, ValueDim, size.waves, size.place,
                                size.key_values, size.column_waves>;
};

} // namespace detail

/// The tile that is shipped for a target, an element type and up to so many columns of Q and K, and of V. Its own
/// columns are these rounded up to a power of two, from 32 to 256. If either is past 256, they are those of the latent
/// form, 576 and 512.
///
///   Variant, Score  of the kernel. The tile for scores that nothing but a band changes suits every kernel, but some
///                   that change them spill with it (tile_table.hpp).
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using attention_tile_for = typename detail::attention_tile_of<
    Target, Element, detail::attention_key_columns(HeadDim, ValueDim, sizeof(Element)),
    detail::attention_value_columns(HeadDim, ValueDim, sizeof(Element)), changes_of<Variant, Score>()>::type;

/// The tile of 256 queries, 8 waves and two stages of keys and values, for gfx942 and up to 128 columns.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim>
using two_stage_attention_tile_for =
    typename detail::two_stage_tile_of<Target, Element,
                                       detail::attention_key_columns(HeadDim, ValueDim, sizeof(Element)),
                                       detail::attention_value_columns(HeadDim, ValueDim, sizeof(Element))>::type;

/// The tile that is shipped for the latent form if V is the first columns of K: on NVIDIA these are copied once for both.
/// attention_tile_for<Target, Element, 576, 512> is for V anywhere.
template <class Target, class Element>
using latent_attention_tile_for = typename detail::latent_tile_of<Target, Element>::type;

/// The tile that is shipped for few queries: decoding, with heads packed or the keys split.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using decoding_tile_for = typename detail::decoding_tile_of<
    Target, Element, detail::attention_key_columns(HeadDim, ValueDim, sizeof(Element)),
    detail::attention_value_columns(HeadDim, ValueDim, sizeof(Element)), changes_of<Variant, Score>()>::type;

} // namespace tegula
