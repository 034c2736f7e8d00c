#pragma once

#include <tegula/block/tensor_operand.hpp>
#include <tegula/kernel/attention/backward/output_sums.hpp>
#include <tegula/kernel/attention/backward/protocol.hpp>
#include <tegula/kernel/attention/backward/sink_gradients.hpp>
#include <tegula/kernel/attention/backward/tensor_copy_part.hpp>
#include <tegula/kernel/attention/tensor_copy_maps.hpp>

namespace tegula {

/// The kernels of a backward pass by tensor copies. They are launched like attention_backward_kernels. The gradient
/// of a bias that repeats has no fixed order of its sums.
///
///   Keys       the kernel that keeps keys
///   Queries    the kernel that keeps queries, or a tensor_copy_query_gradients
///   Tile       a tcgen05_gradient_tile or warp_specialized_gradient_tile
///   Sequences  whether lengths of sequences may vary
///   KeyTile    the tile of the kernel that keeps keys
template <class Keys, class Queries, class Tile, class Variant, class Gradient, class Score,
          attention_sequences Sequences, class KeyTile = Tile>
struct tensor_copy_backward
    : attention_backward_protocol<
          tensor_copy_backward<Keys, Queries, Tile, Variant, Gradient, Score, Sequences, KeyTile>, Tile, Variant,
          tensor_copy_gradient_arguments<typename Tile::element, Gradient, Score>>
{
    using protocol = typename tensor_copy_backward::attention_backward_protocol;
    using typename protocol::arguments, typename protocol::problem;
    using target = typename Tile::target;
    using element = typename Tile::element;
    static constexpr bool any_length = Sequences == attention_sequences::of_any_length;

    using sums = attention_output_sums<target, element, Tile::value_dim, Gradient, Score, protocol::dq_columns>;
    using keys = Keys;
    using queries = Queries;
    using sinks = attention_sink_gradients<target, element, Gradient, Score>;

    /// Errors: those of attention_backward_protocol and make_maps.
    static status check(const arguments& args)
    {
        if (const status s = protocol::check(args); !s)
            return s;
        arguments unused = args;
        return make_maps(unused, [](tensor_map&, const tensor_map_parameters&) { return status(); });
    }
    /// Encodes the maps. Errors: those of make_maps and of the device.
    template <class Launcher>
    static status prepare(arguments& args, Launcher& device)
    {
        return make_maps(args, [&](tensor_map& map, const tensor_map_parameters& parameters) {
            return device.encode(map, parameters);
        });
    }

    /// Makes the tensor maps in `args`, each by make(map, parameters). Precondition: can_implement(args.problem) is ok.
    ///
    /// Errors: those of make; unsupported if tensor copies cannot address an operand, or lengths are given to kernels of
    /// one length. Offsets without the number of all rows are unsupported, too.
    template <class Make>
    static status make_maps(arguments& args, const Make& make)
    {
        const auto& a = args.problem.forward;
        const bool copies = a.batch > 0 && a.heads > 0 && a.seq_q > 0 && a.seq_k > 0; // else gradients are zeros
        status s;
        if (copies || !any_length)
            s = internal::attention_map_rows::of(a).check(a.lengths, any_length);
        if (copies && s)
            s = make_maps_of<typename KeyTile::passing_head, typename KeyTile::passing_value,
                             typename KeyTile::kept_head, typename KeyTile::kept_value>(args.problem, args.by_keys,
                                                                                        make);
        if constexpr (protocol::dq_columns == 0) // else blocks keep keys alone
            if (copies && s)
                s = make_maps_of<typename Tile::kept_head, typename Tile::kept_value, typename Tile::passing_head,
                                 typename Tile::passing_value>(args.problem, args.by_queries, make);
        return s;
    }

private:
    template <class Q, class DO, class K, class V, class Make>
    static status make_maps_of(const problem& b, tensor_copy_gradient_maps& maps, const Make& make)
    {
        const auto& a = b.forward;
        const auto rows = internal::attention_map_rows::of(a);
        const auto of_queries = [&](auto loads, const char* name, const auto& x, index_t columns, tensor_map& map) {
            return internal::make_attention_map<decltype(loads)>(name, x, rows.batch_q, a.heads, rows.q, columns, map,
                                                                 make);
        };
        const auto of_keys = [&](auto loads, const char* name, const auto& x, index_t columns, tensor_map& map) {
            return internal::make_attention_map<decltype(loads)>(name, x, rows.batch_k, a.kv_heads, rows.k, columns,
                                                                 map, make);
        };
        status s = of_queries(tensor_operand<Q, 1>{}, "Q", a.q, a.head_dim, maps.q);
        if (s)
            s = of_queries(tensor_operand<DO, 1>{}, "dO", b.d_o, a.value_dim, maps.d_o);
        if (s)
            s = of_keys(tensor_operand<K, 1>{}, "K", a.k, a.head_dim, maps.k);
        if (s)
            s = of_keys(tensor_operand<V, 1>{}, "V", a.v, a.value_dim, maps.v);
        return s;
    }
};

} // namespace tegula
