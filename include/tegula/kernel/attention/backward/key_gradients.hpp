#pragma once

#include <tegula/block/tile_ring_loop.hpp>
#include <tegula/kernel/attention/backward/change_cost.hpp>
#include <tegula/kernel/attention/backward/listed_tiles.hpp>
#include <tegula/kernel/attention/backward/score_gradients.hpp>
#include <tegula/kernel/attention/backward/store_rows.hpp>
#include <tegula/kernel/attention/backward/tile.hpp>

namespace tegula {

/// dK and dV, with a block for each tile of keys of each head of K. It visits the queries that see one of the keys, of
/// all heads of the group, or the blocks of queries in its lists. No block adds to another's sums, so that the result
/// is the same from run to run. Blocks of a tile that adds dQ do, to those of dQ and of the bias's gradient.
///
///   Tile  an attention_gradient_tile
template <class Tile, class Variant, class O, class Gradient, class Score = unchanged_score,
          attention_key_part Part = attention_key_part::both>
struct attention_key_gradients
{
    using target = typename Tile::target;
    using element = typename Tile::element;
    static_assert(std::is_same_v<element, O>, "tegula: the backward pass takes O and dO of the type of Q, K and V");
    using arguments = attention_gradient_arguments<element, O, Gradient, Score>;
    using over_head = typename Tile::over_head;
    using over_value = typename Tile::over_value;
    using gradients = attention_score_gradients<target, typename Tile::score_distribution, Variant, Score, true>;
    using round = detail::gradient_round<target, Variant, Score>;
    using after_rounds = detail::gradient_round<target, Variant, Score, Tile::alone>;
    static constexpr bool by_lists = Variant::mask == attention_mask::lists;
    static constexpr bool of_keys = Part != attention_key_part::values;
    static constexpr bool of_values = Part != attention_key_part::keys;
    static constexpr bool adds_dq = Tile::adds_dq;
    static_assert(!adds_dq || (of_keys && of_values), "tegula: a kernel that adds dQ computes dK and dV, too");
    /// Whether the next tile's loads, which a kernel alone on its SIMD starts between products, are started behind the
    /// scores instead. While these change at a high cost, there are no registers for them.
    static constexpr bool loads_behind_scores =
        Tile::holds_next && !Tile::adds_dq && internal::cost_of_changes<Variant, Score>() > internal::change_cost::low;
    /// Whether scores are computed beside the products, by their pairs; without dK only if no tile waits in registers.
    /// With 8 waves of five products clang 22 spills 8 registers then; on gfx90a it brings 0.02 of the matrix unit.
    static constexpr bool goes_by_pairs = Tile::alone && (of_keys || Tile::direct) && gradients::goes_by_pairs &&
                                          arch_of<target>() != gpu_arch::gfx90a && !(adds_dq && Tile::waves > 4);
    /// Whether the next tile's products start beside the last ones of a tile, behind the barrier.
    static constexpr bool starts_ahead = goes_by_pairs && Tile::direct;
    /// Whether numbers of the next tile's queries are loaded ahead: through shared memory or, without room there, in registers.
    static constexpr bool numbers_ahead = Tile::passes_numbers || goes_by_pairs;
    using across_q = std::conditional_t<of_keys, over_head, void>;
    using across_o = std::conditional_t<of_values, over_value, void>;
    static_assert(Tile::template check<across_q, across_o>());
    using q_tiles = typename Tile::template head_tiles<across_q>;
    using o_tiles = typename Tile::template value_tiles<across_o>;

    /// Names the type of the first operands of a tile's scores, which not every tile has.
    static auto started_scores()
    {
        if constexpr (goes_by_pairs)
            return std::type_identity<typename Tile::started_along>{};
        else
            return std::type_identity<int>{};
    }

    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::template shared_bytes<across_q, across_o>;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        const auto& forward = args.problem.forward;
        return ceil_div(forward.seq_k, Tile::rows) * forward.batch * forward.kv_heads;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        after_rounds::check(args);
        const auto& problem = args.problem;
        const auto& forward = problem.forward;
        const auto [key, kv_head, batch] = detail::key_tile_of_block<target, Tile::rows>(forward);
        const auto sequence = detail::sequence_of<Variant>(forward, batch);
        const index_t rows = detail::key_rows(forward, batch);
        if (key >= rows)
            return;

        const key_range seen = sequence.queries_of(key, min(key + Tile::rows, sequence.keys));
        const index_t first = seen.first / Tile::columns * Tile::columns;
        const index_t query_tiles = ceil_div(max(seen.last - first, 0), Tile::columns);
        const index_t group = forward.heads / forward.kv_heads;
        // Every head has lists of its own.
        [[maybe_unused]] const index_t key_block = [&] {
            if constexpr (by_lists)
                return key / forward.lists.key_length;
            else
                return 0;
        }();
        const auto listed_for = [&](index_t head) {
            return detail::listed_queries<target, Tile::columns>(args, batch, head, key_block, sequence.queries);
        };
        index_t steps = group * query_tiles;
        if constexpr (by_lists) {
            steps = 0;
            for (index_t h = 0; h < group; ++h)
                steps += listed_for(kv_head * group + h).count;
        }

        const auto k = detail::head_of(forward.k, sequence.key_batch, kv_head, sequence.first_key);
        const auto v = detail::head_of(forward.v, sequence.key_batch, kv_head, sequence.first_key);
        std::byte* const memory = Tile::memory();
        typename Tile::kept_head keys(k.row(key), sequence.keys - key, k.row_stride, forward.head_dim, memory, "K");
        typename Tile::kept_value values(v.row(key), sequence.keys - key, v.row_stride, forward.value_dim,
                                         memory + Tile::kept_head::bytes, "V");
        Tile::keep(keys, values);
        [[maybe_unused]] std::byte* const scores = memory + shared_bytes - Tile::scores_bytes;
        [[maybe_unused]] const auto across_keys = [&] {
            if constexpr (adds_dq) {
                target::shared_barrier(); // the memory that keys and values came through is free
                const typename Tile::dq_sums::kept_keys kept(k.row(key), sequence.keys - key, k.row_stride,
                                                             forward.head_dim, memory);
                Tile::dq_sums::clear_scores(scores + Tile::dq_sums::scores_bytes);
                return kept;
            } else {
                return 0;
            }
        }();

        std::byte* const ring = memory + Tile::ring_offset;
        q_tiles queries(forward.q.row_stride, forward.head_dim, ring, "Q");
        o_tiles d_outputs(problem.d_o.row_stride, forward.value_dim, ring + q_tiles::bytes, "dO");
        [[maybe_unused]] auto passing = [&] {
            if constexpr (Tile::passes_numbers)
                return typename Tile::numbers{reinterpret_cast<float*>(ring + q_tiles::bytes + o_tiles::bytes)};
            else if constexpr (numbers_ahead)
                return waiting_numbers<target, Tile::columns, gradients>{};
            else
                return 0;
        }();
        typename over_head::accumulators dk;  // [keys, head_dim]
        typename over_value::accumulators dv; // [keys, value_dim]
        dk.clear();
        dv.clear();

        // The tiles of queries, head by head, that are loaded and multiplied. Steps come in order, so that no division
        // is needed to count them.
        struct band_place
        {
            index_t head, query;
        };
        struct place_of_lists : listed_place
        {
            index_t head, left; ///< tiles of the head's list from this one on
        };
        auto loaded = [&] {
            if constexpr (by_lists)
                return place_of_lists{{}, kv_head * group - 1, 0};
            else
                return band_place{kv_head * group, first};
        }();
        [[maybe_unused]] auto multiplied = loaded;
        // The tile that is loaded: its first query, the rows that exist; where its head starts.
        struct
        {
            index_t head = -1, query = 0, extent = 0;
            detail::head_rows<const element> q, d_o;
            long_index_t numbers = 0; ///< in the workspace's arrays
        } upcoming;
        // The number of the tile whose dS waits; zeros are added to the block's own first tile before that.
        [[maybe_unused]] long_index_t added = args.workspace.offset(batch, forward.heads, kv_head * group) + first;
        constexpr int dq_steps = Tile::kept_head::slices + (goes_by_pairs ? Tile::kept_value::slices : 0);
        /// f(stream of dQ's part) for the step before `step`; its scores are zeros before the first.
        [[maybe_unused]] const auto add_queries = [&](index_t step, float* sums, const auto& f) TEGULA_INLINE_LAMBDA {
            if constexpr (adds_dq) {
                typename Tile::dq_sums::accumulators dq;
                dq.clear();
                f(Tile::dq_sums::template stream<dq_steps, Tile::ahead>(
                    dq, scores + (step & 1 ? 0 : Tile::dq_sums::scores_bytes), across_keys));
                Tile::dq_sums::add(dq, sums + added * Tile::head_dim);
            }
        };
        const auto place = [&](auto& next) {
            if constexpr (by_lists) {
                TEGULA_ROLLED
                while (next.left == 0) { // there is a tile, in the list of a head after this one
                    next = {{}, next.head + 1, 0};
                    next.left = listed_for(next.head).count;
                }
                const auto listed = listed_for(next.head);
                const attention_place now{batch, next.head, listed.first_row(next), key};
                next.advance(Tile::columns, listed.block_length);
                --next.left;
                return now;
            } else {
                const attention_place now{batch, next.head, next.query, key};
                next.query += Tile::columns;
                if (next.query >= seen.last)
                    next = {next.head + 1, first};
                return now;
            }
        };
        constexpr bool loads_past_last = Tile::alone || max(q_tiles::loads_by, o_tiles::loads_by) == ring_loads::direct;
        const auto find_upcoming = [&](index_t step) {
            const bool exists = !loads_past_last || step < steps; // else the last tile again, of which no row exists
            const attention_place at =
                by_lists && !exists ? attention_place{batch, upcoming.head, upcoming.query, key} : place(loaded);
            const index_t of_head = exists ? at.head : upcoming.head;
            upcoming.query = exists ? at.query : upcoming.query;
            upcoming.extent = exists ? sequence.queries - at.query : 0;
            if (!Tile::alone || round::reloads || of_head != upcoming.head) {
                const auto& again = round::arguments(args);
                upcoming.head = of_head;
                upcoming.q =
                    detail::head_of(again.problem.forward.q, sequence.query_batch, of_head, sequence.first_query);
                upcoming.d_o = detail::head_of(again.problem.d_o, sequence.query_batch, of_head, sequence.first_query);
                upcoming.numbers = again.workspace.offset(batch, again.problem.forward.heads, of_head);
            }
        };
        const auto load_queries = [&](int slot) {
            queries.load(slot, upcoming.q.row(upcoming.query), upcoming.extent);
        };
        const auto load_numbers = [&] {
            if constexpr (numbers_ahead)
                passing.load(round::arguments(args).workspace, upcoming.numbers + upcoming.query);
        };
        const auto load_outputs = [&](int slot) {
            d_outputs.load(slot, upcoming.d_o.row(upcoming.query), upcoming.extent);
        };
        const auto load = [&](int slot, index_t step) {
            find_upcoming(step);
            load_queries(slot);
            load_numbers();
            load_outputs(slot);
        };
        const auto store = [&](int slot) {
            queries.store(slot);
            d_outputs.store(slot);
            if constexpr (Tile::passes_numbers)
                passing.template store<goes_by_pairs>(slot);
            else if constexpr (numbers_ahead)
                passing.store(slot);
        };
        const auto read_numbers = [&](const auto* from, const char* name) {
            return gradients::template load_numbers<address_space::shared>(from, Tile::columns, 0, name);
        };
        [[maybe_unused]] typename decltype(started_scores())::type of_scores;
        [[maybe_unused]] typename gradients::query_numbers deltas; // negative
        [[maybe_unused]] const auto start = [&]([[maybe_unused]] int slot) TEGULA_INLINE_LAMBDA {
            if constexpr (goes_by_pairs)
                of_scores = Tile::start_along(queries, d_outputs, slot);
            if constexpr (starts_ahead && of_keys)
                static_for<gradients::number_vectors>(
                    [&](auto n) { gradients::template read_vector_of_numbers<n>(deltas, passing.deltas(slot)); });
        };
        [[maybe_unused]] const auto work_by_pairs = [&]([[maybe_unused]] int slot, [[maybe_unused]] index_t step,
                                                        [[maybe_unused]] const attention_place& at,
                                                        [[maybe_unused]] long_index_t number,
                                                        [[maybe_unused]] const auto&... meet) TEGULA_INLINE_LAMBDA {
            if constexpr (goes_by_pairs) {
                const int next = Tile::next_slot(slot);
                const auto& again = round::arguments(args);
                float to_exponent = again.problem.forward.scale * log2_of_e;
                const bool far = passing.far;
                typename Tile::score_tensor p, ds;
                typename gradients::query_numbers normalizers;
                constexpr int slices = Tile::kept_head::slices;
                constexpr int steps = slices + (of_keys ? Tile::kept_value::slices : 0); // of the scores
                if constexpr (!Tile::passes_numbers) {
                    normalizers = passing.normalizers;
                    deltas = elementwise([](float delta) { return -delta; }, passing.deltas);
                }
                constexpr int vectors = gradients::number_vectors;
                const auto these_numbers = make_tasks_stream<slices>([&](auto step) {
                    constexpr int i = decltype(step)::value, begin = i * vectors / slices;
                    if constexpr (Tile::passes_numbers)
                        static_for<(i + 1) * vectors / slices - begin>([&](auto j) {
                            constexpr int n = begin + decltype(j)::value;
                            gradients::template read_vector_of_numbers<n>(normalizers, passing.normalizers(slot));
                            if constexpr (of_keys && !starts_ahead)
                                gradients::template read_vector_of_numbers<n>(deltas, passing.deltas(slot));
                        });
                });
                typename Tile::template started_across<over_value> of_outputs;
                typename Tile::template started_across<over_head> of_queries;
                const auto start_outputs = make_task_stream<max(steps - 2, 0)>([&] {
                    if constexpr (of_values)
                        of_outputs = Tile::template start_across<over_value>(d_outputs, slot);
                });
                if constexpr (!starts_ahead)
                    start(slot);
                const auto settle = [&] {
                    const auto shown = round::sequence(again.problem, sequence);
                    if (far || gradients::hides_keys(shown, at)) [[unlikely]] {
                        attention_place here = at;
                        internal::make_scalars_opaque<target>(here.key); // comparisons are not held across the loop
                        gradients::settle_exponents(p, normalizers, to_exponent, far, again.workspace, again.problem,
                                                    shown, here);
                    }
                };
                const auto make_probabilities = [&](auto n) {
                    gradients::template make_probabilities<n>(p, normalizers, to_exponent);
                    Tile::template pin_pair<n>(p);
                };
                // Without dO V^T beside which to make them, only those of the first slice are made before dV's product.
                constexpr int early = !of_values ? Tile::pairs
                                      : of_keys  ? Tile::template early_pairs<over_value>
                                                 : Tile::template first_pairs<over_value>;
                // At different steps, as a wave starts an instruction at a time.
                const auto find = make_task_stream<0>([&] { find_upcoming(step + 1); });
                const auto next_queries = make_task_stream<of_keys ? slices / 4 : 1>([&] { load_queries(next); });
                const auto next_outputs =
                    make_task_stream<of_keys ? slices / 2 + 1 : slices / 4>([&] { load_outputs(next); });
                const auto next_numbers = make_task_stream<of_keys ? slices - 1 : slices / 4 + 2>(load_numbers);
                const auto multiply = [&](const auto&... streams) {
                    if constexpr (of_keys) {
                        Tile::template multiply_in_turn<early>(
                            p, ds, keys, queries, values, d_outputs, slot, of_scores,
                            [&] { return broadcast<typename gradients::distribution, gradients::key_dim>(deltas); },
                            settle, make_probabilities, streams..., find, next_queries, these_numbers, next_outputs,
                            next_numbers, start_outputs);
                    } else {
                        p = Tile::multiply_first(keys, queries, d_outputs, slot, of_scores, find, next_queries,
                                                 these_numbers, next_outputs, next_numbers, start_outputs);
                        settle();
                        static_for<early>(make_probabilities);
                    }
                };
                if constexpr (adds_dq)
                    add_queries(step, again.workspace.dq, multiply);
                else
                    multiply();
                const auto differentiate = [&](auto n) { gradients::template multiply_pair<n>(p, ds); };
                if constexpr (!of_keys) {
                    constexpr int made = early < Tile::pairs ? over_value::iterations_n : 0; // steps until P is there
                    run_product_streams<target>(
                        Tile::template stream_across<over_value>(dv, p, d_outputs, slot, of_outputs),
                        Tile::template make_pair_stream<0, made, early, Tile::pairs>(make_probabilities),
                        make_task_stream<Tile::template all_read_across<over_value>>(meet)...); // dV += P^T dO
                } else if constexpr (of_values) {
                    constexpr int across = Tile::template steps_across<over_value>;
                    constexpr int made = early < Tile::pairs ? over_value::iterations_n : 0; // steps until P is there
                    run_product_streams<target>(
                        Tile::template stream_across<over_value>(dv, p, d_outputs, slot, of_outputs),
                        Tile::template make_pair_stream<0, made, early, Tile::pairs>(make_probabilities),
                        Tile::template make_pair_stream<made, across - made, 0, Tile::pairs>(differentiate),
                        make_task_stream<across - 2>([&] {
                            of_queries = Tile::template start_across<over_head>(queries, slot);
                        })); // dV += P^T dO
                } else {
                    of_queries = Tile::template start_across<over_head>(queries, slot);
                    static_for<Tile::pairs>(differentiate);
                }
                if constexpr (adds_dq) {
                    Tile::dq_sums::write_scores(scores + (step & 1 ? Tile::dq_sums::scores_bytes : 0),
                                                Tile::template operand_of<over_head>(ds));
                    added = number;
                }
                if constexpr (of_keys)
                    run_product_streams<target>(
                        Tile::template stream_across<over_head>(dk, ds, queries, slot, of_queries),
                        make_task_stream<Tile::template all_read_across<over_head>>(meet)...); // dK += dS^T Q
            }
        };
        const auto work = [&](int slot, index_t step, const auto&... meet) TEGULA_INLINE_LAMBDA {
            attention_place at{batch, upcoming.head, upcoming.query, key};
            [[maybe_unused]] const long_index_t number = upcoming.numbers + upcoming.query;
            if constexpr (!Tile::alone)
                at = place(multiplied);
            [[maybe_unused]] const int next = Tile::next_slot(slot);
            if constexpr (goes_by_pairs)
                return work_by_pairs(slot, step, at, number, meet...);
            internal::make_scalars_opaque<target>(at.key); // comparisons with it are not held across the loop
            typename Tile::score_tensor p, ds;             // [keys, queries]: K Q^T and V dO^T, then P^T and dS^T
            const auto multiply = [&](const auto&... streams) {
                if constexpr (Tile::alone) {
                    find_upcoming(step + 1);
                    const auto next_queries = make_task_stream<1>([&] {
                        if constexpr (!loads_behind_scores) {
                            load_queries(next);
                            load_numbers();
                        }
                    });
                    const auto next_outputs = make_task_stream<2>([&] {
                        if constexpr (!loads_behind_scores)
                            load_outputs(next);
                    });
                    if constexpr (of_keys)
                        Tile::multiply_both(p, ds, keys, queries, values, d_outputs, slot, next_queries, next_outputs,
                                            streams...);
                    else
                        p = Tile::multiply_one(keys, queries, slot, next_queries, next_outputs, streams...);
                } else {
                    p = Tile::multiply_along(keys, queries, slot);
                    if constexpr (of_keys)
                        ds = Tile::multiply_along(values, d_outputs, slot);
                }
            };
            if constexpr (!Tile::alone)
                multiply();
            const auto& again = round::arguments(args);
            const auto& workspace = again.workspace;
            typename gradients::query_numbers normalizers, deltas;
            bool far = false;
            if constexpr (Tile::passes_numbers) {
                const bool now_far = passing.far;
                const auto read_both = [&] {
                    normalizers = read_numbers(passing.normalizers(slot), "normalizers");
                    deltas = read_numbers(passing.deltas(slot), "deltas");
                };
                // In the last step of the products, or behind it if registers are scarce.
                const auto multiply_and_read = [&](const auto&... streams) {
                    if constexpr (Tile::holds_across) {
                        multiply(streams..., make_task_stream<Tile::kept_head::slices - 1>(read_both));
                    } else {
                        multiply(streams...);
                        read_both();
                    }
                };
                if constexpr (adds_dq)
                    add_queries(step, workspace.dq, multiply_and_read);
                else
                    multiply_and_read();
                far = now_far;
            } else {
                const long_index_t numbers = workspace.offset(batch, again.problem.forward.heads, at.head);
                normalizers = gradients::load_numbers(workspace.normalizers + numbers, workspace.padded_rows, at.query,
                                                      "normalizers");
                deltas = gradients::load_numbers(workspace.deltas + numbers, workspace.padded_rows, at.query, "deltas");
                far = gradients::any_is_far(workspace.normalizers + numbers, workspace.padded_rows, at.query);
                if constexpr (Tile::alone)
                    multiply();
            }
            const auto shown = round::sequence(again.problem, sequence);
            gradients::template compute<of_keys>(p, ds, normalizers, deltas, far, workspace, again.problem, shown, at,
                                                 [&](const auto& dx) {
                                                     if constexpr (adds_dq)
                                                         gradients::add_bias_gradient(dx, again.problem, shown, at);
                                                 });
            if constexpr (loads_behind_scores) {
                load_queries(next);
                load_numbers();
                load_outputs(next);
            }
            if constexpr (Tile::alone && of_keys && of_values) {
                const auto across_outputs = Tile::template read_across<over_value>(d_outputs, slot);
                const auto across_queries = Tile::template read_across<over_head>(queries, slot);
                target::scheduling_barrier();
                Tile::template multiply_slices<over_value>(dv, Tile::template operand_of<over_value>(p),
                                                           across_outputs); // dV += P^T dO
                const auto operand = Tile::template operand_of<over_head>(ds);
                if constexpr (adds_dq) {
                    Tile::dq_sums::write_scores(scores + (step & 1 ? Tile::dq_sums::scores_bytes : 0), operand);
                    added = round::reloads ? workspace.offset(batch, again.problem.forward.heads, at.head) + at.query
                                           : number; // kept, it would take two scalar registers too many
                }
                Tile::template multiply_slices<over_head>(dk, operand, across_queries); // dK += dS^T Q
            } else {
                if constexpr (of_values)
                    Tile::template multiply_across<over_value>(dv, p, d_outputs, slot); // dV += P^T dO
                if constexpr (of_keys)
                    Tile::template multiply_across<over_head>(dk, ds, queries, slot); // dK += dS^T Q
            }
        };
        constexpr ring_loads loads = max(q_tiles::loads_by, o_tiles::loads_by);
        constexpr int additions = [] { // behind the loads
            if constexpr (Tile::direct)
                return int{Tile::dq_sums::count};
            else
                return 0;
        }();
        if constexpr (starts_ahead)
            run_tile_ring<target, Tile::stages, loads, true, additions>(steps, load, store, work, start);
        else
            run_tile_ring<target, Tile::stages, loads, Tile::alone, additions>(steps, load, store, work);
        // On AMD the block's place is not held across the loop.
        const auto& last = after_rounds::arguments(args);
        if constexpr (adds_dq)
            if (steps > 0) {
                target::shared_barrier();
                add_queries(steps, last.workspace.dq, [](const auto& stream) { run_product_streams<target>(stream); });
            }

        const auto& again = last.problem;
        const auto [first_key, head_of_keys, entry] = detail::key_tile_of_block<target, Tile::rows>(again.forward);
        const bool joined = again.forward.lengths.key_offsets != nullptr;
        const long_index_t key_batch = joined ? 0 : entry;
        const index_t key_row =
            after_rounds::reloads && joined ? again.forward.lengths.key_offsets[entry] : sequence.first_key;
        const index_t all_rows = after_rounds::reloads ? detail::key_rows(again.forward, entry) : rows;
        if constexpr (of_values)
            store_gradient_rows<over_value, shared_bytes>(
                dv, detail::head_of(again.dv, key_batch, head_of_keys, key_row), all_rows, again.forward.value_dim,
                first_key, 1.0f, memory, "dV");
        if constexpr (of_keys)
            store_gradient_rows<over_head, shared_bytes>(
                dk, detail::head_of(again.dk, key_batch, head_of_keys, key_row), all_rows, again.forward.head_dim,
                first_key, again.forward.scale, memory, "dK");
    }
};

} // namespace tegula
