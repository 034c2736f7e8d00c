#pragma once

#include <tegula/kernel/attention/backward/tensor_copy_query_gradients.hpp>
#include <tegula/kernel/attention/tcgen05/gradients.hpp>

namespace tegula {

/// The kernels of the backward pass by tcgen05.
///
///   Tile       a tcgen05_gradient_tile
///   Sequences  whether lengths of sequences may vary
template <class Tile, class Variant = attention_variant<>, class Gradient = typename Tile::element,
          class Score = unchanged_score, attention_sequences Sequences = attention_sequences::of_one_length>
using tcgen05_backward_kernels = tensor_copy_backward<
    tcgen05_attention_gradients<attention_kept_rows::keys, Tile, Variant, Gradient, Score, Sequences>,
    tcgen05_attention_gradients<attention_kept_rows::queries, Tile, Variant, Gradient, Score, Sequences>, Tile, Variant,
    Gradient, Score, Sequences>;

/// The kernels of the backward pass by tcgen05 with the tile that is shipped. attention_backward_for has kernels for
/// every target.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Gradient = Element, class Score = unchanged_score,
          attention_sequences Sequences = attention_sequences::of_one_length>
using tcgen05_backward_for =
    tcgen05_backward_kernels<tcgen05_gradient_tile_for<Target, Element, HeadDim, ValueDim, Variant, Score>, Variant,
                             Gradient, Score, Sequences>;

/// The kernels of the backward pass by tcgen05 in five products: a tensor_copy_fused_backward.
///
///   Tile       a tcgen05_square_gradient_tile, or a tcgen05_gradient_tile that adds dQ
///   Sequences  whether lengths of sequences may vary
template <class Tile, class Variant = attention_variant<>, class Gradient = typename Tile::element,
          class Score = unchanged_score, attention_sequences Sequences = attention_sequences::of_one_length>
using tcgen05_fused_backward_kernels = tensor_copy_fused_backward<
    tcgen05_attention_gradients<attention_kept_rows::keys, Tile, Variant, Gradient, Score, Sequences>, Tile, Variant,
    Gradient, Score, Sequences>;

/// These kernels with the tile that is shipped, for 128 columns of Q and K, and up to 128 of V.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Gradient = Element, class Score = unchanged_score,
          attention_sequences Sequences = attention_sequences::of_one_length>
using tcgen05_fused_backward_for =
    tcgen05_fused_backward_kernels<tcgen05_fused_gradient_tile_for<Target, Element, HeadDim, ValueDim, Variant, Score>,
                                   Variant, Gradient, Score, Sequences>;

} // namespace tegula
