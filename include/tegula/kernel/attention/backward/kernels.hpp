#pragma once

#include <tegula/kernel/attention/backward/bias_gradients.hpp>
#include <tegula/kernel/attention/backward/key_gradients.hpp>
#include <tegula/kernel/attention/backward/output_sums.hpp>
#include <tegula/kernel/attention/backward/protocol.hpp>
#include <tegula/kernel/attention/backward/query_gradient_rows.hpp>
#include <tegula/kernel/attention/backward/query_gradients.hpp>
#include <tegula/kernel/attention/backward/sink_gradients.hpp>

namespace tegula {

/// The order in which the gradient of a bias that repeats is summed, for attention_backward_for.
struct bias_gradient_sums
{
    static constexpr bool in_any_order = false;
    static constexpr bool in_fixed_order = true; ///< the same from run to run, by one more kernel
};

/// The kernels of the backward pass. launch(device, attention_backward_kernels<...>{}, {problem, {workspace}}) starts all of
/// them, with workspace_floats(problem.forward) floats of the device at a multiple of 16 bytes.
///
/// They start in this order, with the same arguments. A user's own __global__ function takes these by value as its
/// first parameter, from which kernels for AMD reload them. Each computes:
///
///   sums     delta and the normalizers of all queries, into the workspace
///   keys     dK and dV; if Split, dK
///   values   dV; only if Split
///   queries  dQ and, unless Deterministic, dbias
///   bias     dbias; only if Deterministic and it is asked for
///   sinks    dsink; only if it is asked for
template <class Tile, class Variant = attention_variant<>, class Gradient = typename Tile::element,
          class Score = unchanged_score, bool Split = false, bool Deterministic = bias_gradient_sums::in_any_order>
struct attention_backward_kernels
    : attention_backward_protocol<
          attention_backward_kernels<Tile, Variant, Gradient, Score, Split, Deterministic>, Tile, Variant,
          attention_gradient_arguments<typename Tile::element, typename Tile::element, Gradient, Score>>
{
    static constexpr bool split = Split;
    static constexpr bool deterministic = Deterministic;
    using target = typename Tile::target;
    using element = typename Tile::element;

    using sums = attention_output_sums<target, element, Tile::value_dim, Gradient, Score>;
    using keys = attention_key_gradients<Tile, Variant, element, Gradient, Score,
                                         Split ? attention_key_part::keys : attention_key_part::both>;
    using values = attention_key_gradients<Tile, Variant, element, Gradient, Score, attention_key_part::values>;
    using queries = attention_query_gradients<Tile, Variant, element, Gradient, Score, !Deterministic>;
    using bias = attention_bias_gradients<Tile, Variant, element, Gradient, Score>;
    using sinks = attention_sink_gradients<target, element, Gradient, Score>;
};

/// The kernels of the backward pass with five products instead of seven: blocks that keep keys add to dQ and dbias, too.
/// Sums of dQ have no fixed order, so that its last bits differ from run to run. They lie in the workspace, as floats.
///
///   Tile  an attention_gradient_tile that adds dQ
template <class Tile, class Variant = attention_variant<>, class Gradient = typename Tile::element,
          class Score = unchanged_score>
struct attention_fused_backward_kernels
    : attention_backward_protocol<
          attention_fused_backward_kernels<Tile, Variant, Gradient, Score>, Tile, Variant,
          attention_gradient_arguments<typename Tile::element, typename Tile::element, Gradient, Score>>
{
    static_assert(Tile::adds_dq, "tegula: the backward pass in five products takes a tile that adds dQ");
    using target = typename Tile::target;
    using element = typename Tile::element;

    using sums = attention_output_sums<target, element, Tile::value_dim, Gradient, Score, Tile::head_dim>;
    using keys = attention_key_gradients<Tile, Variant, element, Gradient, Score>;
    using queries = attention_query_gradient_rows<Tile, Gradient, Score>;
    using sinks = attention_sink_gradients<target, element, Gradient, Score>;
};

} // namespace tegula
