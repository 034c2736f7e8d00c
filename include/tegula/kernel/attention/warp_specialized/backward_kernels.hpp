#pragma once

#include <tegula/kernel/attention/backward/tensor_copy_query_gradients.hpp>
#include <tegula/kernel/attention/warp_specialized/gradients.hpp>

namespace tegula {

/// The kernels of the backward pass by wgmma.
///
///   Tile       a warp_specialized_gradient_tile
///   Sequences  whether lengths of sequences may vary
///   KeyTile    the tile of the kernel that keeps keys
template <class Tile, class Variant = attention_variant<>, class Gradient = typename Tile::element,
          class Score = unchanged_score, attention_sequences Sequences = attention_sequences::of_one_length,
          class KeyTile = Tile>
using warp_specialized_backward_kernels = tensor_copy_backward<
    warp_specialized_attention_gradients<attention_kept_rows::keys, KeyTile, Variant, Gradient, Score, Sequences>,
    warp_specialized_attention_gradients<attention_kept_rows::queries, Tile, Variant, Gradient, Score, Sequences>, Tile,
    Variant, Gradient, Score, Sequences, KeyTile>;

/// The kernels of the backward pass by wgmma with the tile that is shipped. attention_backward_for has kernels for
/// every target.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Gradient = Element, class Score = unchanged_score,
          attention_sequences Sequences = attention_sequences::of_one_length>
using warp_specialized_backward_for = warp_specialized_backward_kernels<
    warp_specialized_gradient_tile_for<Target, Element, HeadDim, ValueDim, Variant, Score>, Variant, Gradient, Score,
    Sequences, warp_specialized_key_gradient_tile_for<Target, Element, HeadDim, ValueDim, Variant, Score>>;

/// The kernels of the backward pass by wgmma in five products: a tensor_copy_fused_backward.
///
///   Tile       a warp_specialized_gradient_tile that adds dQ
///   Sequences  whether lengths of sequences may vary
template <class Tile, class Variant = attention_variant<>, class Gradient = typename Tile::element,
          class Score = unchanged_score, attention_sequences Sequences = attention_sequences::of_one_length>
using warp_specialized_fused_backward_kernels = tensor_copy_fused_backward<
    warp_specialized_attention_gradients<attention_kept_rows::keys, Tile, Variant, Gradient, Score, Sequences>, Tile,
    Variant, Gradient, Score, Sequences>;

/// These kernels with the tile that is shipped, for up to 128 columns of Q and K, and of V, or for 256 of both.
template <class Target, class Element, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Gradient = Element, class Score = unchanged_score,
          attention_sequences Sequences = attention_sequences::of_one_length>
using warp_specialized_fused_backward_for = warp_specialized_fused_backward_kernels<
    warp_specialized_fused_gradient_tile_for<Target, Element, HeadDim, ValueDim, Variant, Score>, Variant, Gradient,
    Score, Sequences>;

} // namespace tegula
