#pragma once

#include <tegula/block/tile_ring_loop.hpp>
#include <tegula/kernel/attention/backward/change_cost.hpp>
#include <tegula/kernel/attention/backward/listed_tiles.hpp>
#include <tegula/kernel/attention/backward/score_gradients.hpp>
#include <tegula/kernel/attention/backward/store_rows.hpp>
#include <tegula/kernel/attention/backward/tile.hpp>

namespace tegula {

/// dQ and the bias's gradient, with a block for each tile of queries of each head. It visits the keys that one of the
/// queries sees, or the blocks of its list.
///
///   Tile      an attention_gradient_tile
///   AddsBias  whether this kernel adds to the bias's gradient
template <class Tile, class Variant, class O, class Gradient, class Score = unchanged_score, bool AddsBias = true>
struct attention_query_gradients
{
    using target = typename Tile::target;
    using element = typename Tile::element;
    static_assert(Tile::template check<typename Tile::over_head, void>());
    static_assert(std::is_same_v<element, O>, "tegula: the backward pass takes O and dO of the type of Q, K and V");
    using arguments = attention_gradient_arguments<element, O, Gradient, Score>;
    using over_head = typename Tile::over_head;
    using gradients = attention_score_gradients<target, typename Tile::score_distribution, Variant, Score, false>;
    using round = detail::gradient_round<target, Variant, Score>;
    using k_tiles = typename Tile::template head_tiles<over_head>;
    using v_tiles = typename Tile::template value_tiles<void>;

    static constexpr bool by_lists = Variant::mask == attention_mask::lists;
    /// Whether products run together, with operands read and tiles loaded ahead. Costly changes leave no registers for that.
    static constexpr bool reads_ahead =
        Tile::alone && internal::cost_of_changes<Variant, Score>() <= internal::change_cost::low;
    static constexpr bool loads_past_last = reads_ahead || Tile::direct;
    /// Whether two waves share a SIMD only if they hold nothing more.
    static constexpr bool crowded = max(Tile::head_dim, Tile::value_dim) == 128;
    /// Whether scores are computed beside the products, by their pairs, as attention_key_gradients does.
    static constexpr bool goes_by_pairs =
        reads_ahead && (Tile::direct || !crowded) && gradients::goes_by_pairs && arch_of<target>() != gpu_arch::gfx90a;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = [] {
        if constexpr (Tile::alone)
            return Tile::template shared_bytes<typename Tile::over_head, void, true>;
        else
            return Tile::template shared_bytes<typename Tile::over_head, void>;
    }();

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        const auto& forward = args.problem.forward;
        return ceil_div(forward.seq_q, Tile::rows) * forward.batch * forward.heads;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        round::check(args);
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
        index_t key_tiles = ceil_div(max(seen.last - first, 0), Tile::columns);
        [[maybe_unused]] listed_tiles<Tile::columns> listed{};
        if constexpr (by_lists) {
            const attention_block_lists& lists = forward.lists;
            listed = listed_tiles<Tile::columns>::of(lists, batch, head, query / lists.query_length, lists.key_length,
                                                     sequence.keys);
            key_tiles = listed.count;
        }
        // The tiles of the list that are loaded and multiplied.
        [[maybe_unused]] listed_place loaded, multiplied;
        [[maybe_unused]] const auto length_of_blocks = [&] {
            return round::arguments(args).problem.forward.lists.key_length;
        };
        const auto key_of = [&](index_t step, [[maybe_unused]] const listed_place& at) {
            if constexpr (by_lists) {
                auto tiles_of_list = listed;
                tiles_of_list.block_length = length_of_blocks();
                return tiles_of_list.first_row(at);
            } else {
                return first + step * Tile::columns;
            }
        };

        const auto q = detail::head_of(forward.q, sequence.query_batch, head, sequence.first_query);
        const auto d_o = detail::head_of(problem.d_o, sequence.query_batch, head, sequence.first_query);
        std::byte* const memory = Tile::memory();
        typename Tile::kept_head queries(q.row(query), sequence.queries - query, q.row_stride, forward.head_dim, memory,
                                         "Q");
        if constexpr (Tile::alone) // half of the memory: two blocks share a compute unit
            Tile::keep_in_registers(queries);
        typename Tile::kept_value d_outputs(d_o.row(query), sequence.queries - query, d_o.row_stride, forward.value_dim,
                                            memory + (Tile::alone ? 0 : Tile::kept_head::bytes), "dO");
        if constexpr (Tile::alone)
            Tile::keep_in_registers(d_outputs);
        else
            Tile::keep(queries, d_outputs);
        const long_index_t numbers = args.workspace.offset(batch, forward.heads, head);
        const auto normalizers = gradients::load_numbers(args.workspace.normalizers + numbers,
                                                         args.workspace.padded_rows, query, "normalizers");
        const auto deltas =
            gradients::load_numbers(args.workspace.deltas + numbers, args.workspace.padded_rows, query, "deltas");
        const bool far = gradients::any_is_far(args.workspace.normalizers + numbers, args.workspace.padded_rows, query);

        const auto k = detail::head_of(forward.k, sequence.key_batch, kv_head, sequence.first_key);
        const auto v = detail::head_of(forward.v, sequence.key_batch, kv_head, sequence.first_key);
        std::byte* const ring = memory + Tile::ring_offset;
        k_tiles keys(k.row_stride, forward.head_dim, ring, "K");
        v_tiles values(v.row_stride, forward.value_dim, ring + k_tiles::bytes, "V");
        typename over_head::accumulators dq; // [queries, head_dim]
        dq.clear();

        // Past the last step there are no rows to load.
        const auto load_keys = [&](int slot, index_t step) {
            const index_t key = key_of(min(step, key_tiles - 1), loaded);
            keys.load(slot, k.row(key), !loads_past_last || step < key_tiles ? sequence.keys - key : 0);
        };
        const auto load_values = [&](int slot, index_t step) {
            const index_t key = key_of(min(step, key_tiles - 1), loaded);
            values.load(slot, v.row(key), !loads_past_last || step < key_tiles ? sequence.keys - key : 0);
            if constexpr (by_lists) // the keys of the step were loaded before
                if (step + 1 < key_tiles)
                    loaded.advance(Tile::columns, length_of_blocks());
        };
        const auto load = [&](int slot, index_t step) {
            load_keys(slot, step);
            load_values(slot, step);
        };
        const auto store = [&](int slot) {
            keys.store(slot);
            values.store(slot);
        };
        // dO V^T starts from these, or from zeros where they would take too many registers.
        [[maybe_unused]] const auto less_deltas = [&] {
            if constexpr (goes_by_pairs)
                return broadcast<typename gradients::distribution, gradients::key_dim>(
                    elementwise([](float delta) { return crowded ? 0.0f : -delta; }, deltas));
            else
                return 0;
        }();
        const auto multiply = [&](int slot, index_t step) TEGULA_INLINE_LAMBDA {
            attention_place at{batch, head, query, key_of(step, multiplied)};
            internal::make_scalars_opaque<target>(at.query); // comparisons with it are not held across the loop
            typename Tile::score_tensor p, ds;               // [queries, keys]: Q K^T and dO V^T, then P and dS
            const int next = Tile::next_slot(slot);
            const auto next_keys = make_task_stream<1>([&] { load_keys(next, step + 1); });
            const auto next_values =
                make_task_stream<Tile::kept_head::slices / 2 + 1>([&] { load_values(next, step + 1); });
            const auto& whole = round::arguments(args);
            const auto& again = whole.problem;
            const auto shown = round::sequence(again, sequence);
            if constexpr (goes_by_pairs) {
                float to_exponent = again.forward.scale * log2_of_e;
                auto normalizers_now = normalizers;
                const auto settle = [&] {
                    if (far || gradients::hides_keys(shown, {batch, head, query, key_of(step, multiplied)}))
                        [[unlikely]]
                        gradients::settle_exponents(p, normalizers_now, to_exponent, far, whole.workspace, again, shown,
                                                    at);
                };
                const auto make_probabilities = [&](auto n) {
                    gradients::template make_probabilities<n>(p, normalizers_now, to_exponent);
                    Tile::template pin_pair<n>(p);
                };
                constexpr int early = Tile::template early_pairs<over_head>;
                constexpr int slices = Tile::kept_head::slices, steps = slices + Tile::kept_value::slices;
                typename Tile::template started_across<over_head> of_keys;
                const auto start_keys =
                    make_task_stream<steps - 2>([&] { of_keys = Tile::template start_across<over_head>(keys, slot); });
                Tile::template multiply_in_turn<early>(
                    p, ds, queries, keys, d_outputs, values, slot, Tile::start_along(keys, values, slot),
                    [&] { return less_deltas; }, settle, make_probabilities, start_keys, next_keys, next_values);
                const auto differentiate = [&](auto n) {
                    if constexpr (crowded)
                        gradients::template differentiate_pair<n>(p, ds, deltas);
                    else
                        gradients::template multiply_pair<n>(p, ds);
                };
                static_for<early>(differentiate);
                run_product_streams<target>(
                    Tile::template stream_across<over_head>(dq, ds, keys, slot, of_keys),
                    Tile::template make_pair_stream<0, over_head::iterations_n, early, Tile::pairs>([&](auto n) {
                        make_probabilities(n);
                        differentiate(n);
                    })); // dQ += dS K
                return;
            }
            if constexpr (reads_ahead) {
                Tile::multiply_both(p, ds, queries, keys, d_outputs, values, slot, next_keys, next_values);
            } else {
                p = Tile::multiply_along(queries, keys, slot);
                ds = Tile::multiply_along(d_outputs, values, slot);
            }
            gradients::template compute<true>(p, ds, normalizers, deltas, far, whole.workspace, again, shown, at,
                                              [&](const auto& dx) {
                                                  if constexpr (AddsBias)
                                                      gradients::add_bias_gradient(dx, again, shown, at);
                                              });
            Tile::template multiply_across<over_head>(dq, ds, keys, slot); // dQ += dS K
        };
        const auto work = [&](int slot, index_t step) TEGULA_INLINE_LAMBDA {
            multiply(slot, step);
            if constexpr (by_lists)
                multiplied.advance(Tile::columns, length_of_blocks());
        };
        run_tile_ring<target, Tile::stages, max(k_tiles::loads_by, v_tiles::loads_by), reads_ahead>(key_tiles, load,
                                                                                                    store, work);

        // Neither the batch entry nor upper halves of the numbers are held across the loop.
        const auto& again = round::arguments(args).problem;
        const long_index_t query_batch = again.forward.lengths.query_offsets != nullptr ? 0 : batch;
        index_t query_head = head, first_query = sequence.first_query;
        internal::make_scalars_opaque<target>(query_head, first_query);
        const auto d_query = detail::head_of(again.dq, query_batch, query_head, first_query);
        store_gradient_rows<over_head, shared_bytes>(dq, d_query, sequence.queries, forward.head_dim, query,
                                                     forward.scale, memory, "dQ");
    }
};

} // namespace tegula
