#pragma once

#include <tegula/kernel/attention/backward/tile.hpp>
#include <tegula/kernel/attention/backward/kernels.hpp>
#include <tegula/kernel/attention/tiles.hpp>

namespace tegula {

namespace detail {

/// The sizes of an attention_gradient_tile.
struct attention_gradient_tile_size
{
    index_t rows;
    index_t columns;
    int waves;
    int stages;
    query_place place; ///< of the rows that a block keeps
};

template <class Target>
consteval attention_gradient_tile_size attention_gradient_size_for(index_t dim, bool /*of_keys*/)
{
    if (Target::vendor == vendor::amd && Target::wave_size == 64)
        return {128, 32, 4, dim <= 64 ? 2 : 1, query_place::registers};
    if (Target::vendor == vendor::amd)
        return {64, dim <= 64 ? 32 : 16, 4, 1, query_place::shared};
    return {64, 32, 4, 2, query_place::shared};
}

template <class Target, class Element, index_t HeadDim, index_t ValueDim, bool OfKeys>
struct attention_gradient_tile_of
{
    static constexpr attention_gradient_tile_size size =
        attention_gradient_size_for<Target>(max(HeadDim, ValueDim), OfKeys);
    using type = attention_gradient_tile<Target, attention_atom<Target, Element>, size.rows, size.columns, HeadDim,
                                         ValueDim, size.waves, size.stages, size.place>;
};

} // namespace detail

/// The tiles that are shipped for a target, an element type and the most columns of Q and K, and of V: that of dK and dV,
/// and that of dQ.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim>
using attention_key_gradient_tile =
    typename detail::attention_gradient_tile_of<Target, Element, HeadDim, ValueDim, true>::type;
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim>
using attention_query_gradient_tile =
    typename detail::attention_gradient_tile_of<Target, Element, HeadDim, ValueDim, false>::type;

/// The kernels of the backward pass with those tiles.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim,
          class Variant = attention_variant<>, class Gradient = Element, class Score = unchanged_score>
using attention_backward_for =
    attention_backward_kernels<attention_key_gradient_tile<Target, Element, HeadDim, ValueDim>,
                               attention_query_gradient_tile<Target, Element, HeadDim, ValueDim>, Variant, Gradient,
                               Score>;

} // namespace tegula
