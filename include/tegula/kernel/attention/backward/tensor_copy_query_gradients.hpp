#pragma once

#include <tegula/kernel/attention/backward/tensor_copy_backward.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// dQ from the sums that the blocks of all keys have added to, times `scale`, rounded. A block takes some queries of
/// a head; its two warpgroups take a part each.
///
///   Tile       a warp_specialized_gradient_tile or tcgen05_gradient_tile that adds dQ
///   Sequences  whether lengths of sequences may vary
template <class Tile, class Gradient, class Score, attention_sequences Sequences>
struct tensor_copy_query_gradients
{
    static_assert(Tile::adds_dq);
    using target = typename Tile::target;
    using element = typename Tile::element;
    using arguments = tensor_copy_gradient_arguments<element, Gradient, Score>;
    static constexpr int block_threads = 256;

private:
    using sums = typename Tile::dq_sums;
    using group_target = typename sums::group_target;
    using vectors = coalesced<group_target, Gradient, sums::part_columns, sums::part_queries, 4, contiguous::rows>;
    static constexpr index_t part_bytes =
        sums::part_columns * sums::part_queries * static_cast<index_t>(sizeof(Gradient));

public:
    static constexpr index_t shared_bytes = 2 * part_bytes;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        const auto& forward = args.problem.forward;
        return ceil_div(forward.seq_q, sums::queries) * forward.batch * forward.heads;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const auto& forward = args.problem.forward;
        const index_t tiles = ceil_div(forward.seq_q, sums::queries), block = target::block_id()[0];
        const index_t tile = block % tiles, head = block / tiles % forward.heads, batch = block / tiles / forward.heads;
        const index_t query = tile * sums::queries;
        const int number = group_target::number();
        auto dq = sums::read(
            args.workspace.dq + (args.workspace.offset(batch, forward.heads, head) + query) * Tile::head_dim, number);
        const auto sequence = attention_sequence::of<Sequences>(forward, batch);
        const auto rows = internal::head_of(args.problem.dq, sequence.query_batch, head, sequence.first_query);
        const auto view = make_tensor_view<group_target, address_space::global>(
            rows.data,
            make_strided_descriptor(make_tuple(forward.head_dim, sequence.queries),
                                    make_tuple(constant<1>{}, rows.row_stride),
                                    constant<16 / static_cast<index_t>(sizeof(Gradient))>{}),
            "dQ");
        transform(dq, [&](float x) { return x * forward.scale; });
        store(make_tile_window<vectors>(view, {sums::first_column(number), query + sums::first_query(number)}),
              convert<group_target, vectors, part_bytes>(cast<Gradient>(dq),
                                                         target::shared_memory() + number * part_bytes));
    }
};

/// The kernels of a backward pass by tensor copies with five products instead of seven: blocks that keep keys add to dQ,
/// too. Sums of dQ have no fixed order, so that its last bits differ from run to run. They lie in the workspace, as floats.
///
///   Keys       the kernel that keeps keys
///   Tile       its tile, which adds dQ
///   Sequences  whether lengths of sequences may vary
template <class Keys, class Tile, class Variant, class Gradient, class Score, attention_sequences Sequences>
using tensor_copy_fused_backward =
    tensor_copy_backward<Keys, tensor_copy_query_gradients<Tile, Gradient, Score, Sequences>, Tile, Variant, Gradient,
                         Score, Sequences>;

} // namespace tegula
