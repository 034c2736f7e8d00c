#pragma once

#include <tegula/block/tile_ring_loop.hpp>
#include <tegula/kernel/attention/backward/score_gradients.hpp>
#include <tegula/kernel/attention/backward/store_rows.hpp>
#include <tegula/kernel/attention/backward/tile.hpp>

namespace tegula {

/// dQ, and what the bias's gradient gets: a block for each tile of queries of each head, which goes through the keys
/// that one of them sees.
///
///   Tile  an attention_gradient_tile
template <class Tile, class Variant, class O, class Gradient, class Score = unchanged_score>
struct attention_query_gradients
{
    using target = typename Tile::target;
    using element = typename Tile::element;
    static_assert(std::is_same_v<element, O>, "tegula: the backward pass takes O and dO of the type of Q, K and V");
    using arguments = attention_gradient_arguments<element, O, Gradient, Score>;
    using scores = typename Tile::scores;
    using over_head = typename Tile::over_head;
    using gradients = attention_score_gradients<target, scores, Variant, Score, false>;
    using k_tiles = typename Tile::head_tiles;
    using v_tiles = typename Tile::template value_tiles<void>;

    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::template shared_bytes<void>();

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        const auto& forward = args.problem.forward;
        return ceil_div(forward.seq_q, Tile::rows) * forward.batch * forward.heads;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const auto& problem = args.problem;
        const auto& forward = problem.forward;
        const index_t tiles = ceil_div(forward.seq_q, Tile::rows), block = target::block_id()[0];
        const index_t query = block % tiles * Tile::rows;
        const index_t head = block / tiles % forward.heads, batch = block / tiles / forward.heads;
        const index_t kv_head = head / (forward.heads / forward.kv_heads);
        const auto sequence = detail::sequence_of<Variant>(forward, batch);
        if (query >= sequence.queries)
            return;

        const key_range seen = sequence.keys_of(query, min(query + Tile::rows, sequence.queries));
        const index_t first = seen.first / Tile::columns * Tile::columns;
        const index_t key_tiles = ceil_div(max(seen.last - first, 0), Tile::columns);

        const auto queries_of = [&](const auto& x, index_t columns, const char* name) {
            return detail::operand_of(detail::head_of(x, sequence.query_batch, head), sequence.first_query,
                                      sequence.queries, columns, name);
        };
        const auto keys_of = [&](const auto& x, index_t step, index_t columns, const char* name) {
            return rows_from(detail::operand_of(detail::head_of(x, sequence.key_batch, kv_head), sequence.first_key,
                                                sequence.keys, columns, name),
                             first + step * Tile::columns);
        };

        std::byte* const memory = target::shared_memory();
        typename Tile::kept_head q(queries_of(forward.q, forward.head_dim, "Q"), query, memory);
        typename Tile::kept_value d_o(queries_of(problem.d_o, forward.value_dim, "dO"), query,
                                      memory + Tile::kept_head::bytes);
        Tile::keep(q, d_o);
        const long_index_t numbers = args.workspace.offset(batch, forward.heads, head);
        const auto normalizers = gradients::load_numbers(args.workspace.normalizers + numbers,
                                                         args.workspace.padded_rows, query, "normalizers");
        const auto deltas =
            gradients::load_numbers(args.workspace.deltas + numbers, args.workspace.padded_rows, query, "deltas");

        std::byte* const ring = memory + Tile::ring_offset;
        k_tiles k({}, ring);
        v_tiles v({}, ring + k_tiles::bytes);
        typename over_head::accumulators dq; // [queries, head_dim]
        dq.clear();

        const auto load = [&](int slot, index_t step) {
            k.load(slot, keys_of(forward.k, step, forward.head_dim, "K"));
            v.load(slot, keys_of(forward.v, step, forward.value_dim, "V"));
        };
        const auto store = [&](int slot) {
            k.store(slot);
            v.store(slot);
        };
        const auto work = [&](int slot, index_t step) {
            const attention_place at{batch, head, query, first + step * Tile::columns};
            auto p = Tile::multiply_along(q, k, slot);    // [queries, keys]: Q K^T, then P
            auto ds = Tile::multiply_along(d_o, v, slot); // [queries, keys]: dO V^T, then dS
            gradients::template compute<true>(p, ds, normalizers, deltas, problem, sequence, at);
            Tile::template multiply_across<over_head>(dq, ds, k, slot); // dQ += dS K
        };
        run_tile_ring<target, Tile::stages, k_tiles::asynchronous>(key_tiles, load, store, work);

        store_gradient_rows<over_head>(dq, detail::head_of(problem.dq, sequence.query_batch, head),
                                       sequence.first_query, sequence.queries, forward.head_dim, query, forward.scale,
                                       memory, "dQ");
    }
};

} // namespace tegula
