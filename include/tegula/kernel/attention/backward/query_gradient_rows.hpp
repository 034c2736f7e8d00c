#pragma once

#include <tegula/kernel/attention/backward/store_rows.hpp>
#include <tegula/kernel/attention/backward/tile.hpp>

namespace tegula {

/// dQ from the sums that the blocks of all keys have added to, times `scale`, rounded. A block takes a tile of queries of
/// a head.
///
///   Tile  an attention_gradient_tile that adds dQ
template <class Tile, class Gradient, class Score = unchanged_score>
struct attention_query_gradient_rows
{
    using target = typename Tile::target;
    using element = typename Tile::element;
    using arguments = attention_gradient_arguments<element, element, Gradient, Score>;
    using sums = typename Tile::dq_sums;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::columns * Tile::head_dim * static_cast<index_t>(sizeof(Gradient));

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        const auto& forward = args.problem.forward;
        return ceil_div(forward.seq_q, Tile::columns) * forward.batch * forward.heads;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const auto& forward = args.problem.forward;
        const index_t tiles = ceil_div(forward.seq_q, Tile::columns), block = target::block_id()[0];
        const index_t query = block % tiles * Tile::columns;
        const index_t head = block / tiles % forward.heads, batch = block / tiles / forward.heads;
        const auto sequence = attention_sequence::at(forward, batch);
        if (query >= sequence.queries)
            return;
        const auto dq = sums::read(args.workspace.dq +
                                   (args.workspace.offset(batch, forward.heads, head) + query) * Tile::head_dim);
        store_gradient_rows<typename sums::product, shared_bytes>(
            dq, detail::head_of(args.problem.dq, sequence.query_batch, head, sequence.first_query), sequence.queries,
            forward.head_dim, query, forward.scale, target::shared_memory(), "dQ");
    }
};

} // namespace tegula
