#pragma once

#include <tegula/kernel/attention/backward/score_gradients.hpp>
#include <tegula/kernel/attention/backward/tensor_copy_rows.hpp>
#include <tegula/kernel/attention/warp_specialized/gradient_tile.hpp>
#include <tegula/kernel/attention/warp_specialized/output.hpp>

namespace tegula {

/// Gradients of attention on sm_90a by blocks whose warpgroups have different tasks. One lane of the first copies rows to
/// shared memory by tensor copies. Two consumers multiply by wgmma: the scores, then the gradients from P and dS in
/// registers. One works on its scores while products of the other run. Each has 64 kept rows. If registers do not hold
/// dK and dV, both have the same 64, one computes dK, the other dV. Nothing is added up between blocks, unless the tile adds
/// to dQ.
///
///   Tile     a warp_specialized_gradient_tile
///   Variant  an attention_variant with a contiguous cache, heads apart, and without block lists
///   Score    a functor like unchanged_score
///   Sequences  whether lengths of sequences may vary
template <attention_kept_rows Kept, class Tile, class Variant, class Gradient, class Score,
          attention_sequences Sequences = attention_sequences::of_one_length>
struct warp_specialized_attention_gradients
{
    static_assert(Tile::check());
    static_assert(
        !Tile::is_wide || internal::cost_of_changes<Variant, Score>() == internal::change_cost::none,
        "tegula: past 256 columns of K and V together a backward pass by wgmma has registers for a band alone; "
        "take an attention_backward_for");
    static_assert(Variant::cache == attention_cache::contiguous && Variant::mask != attention_mask::lists,
                  "tegula: a backward pass by tensor copies has neither pages nor block lists; take an "
                  "attention_backward_for");

    using target = typename Tile::target;
    using element = typename Tile::element;
    using arguments = tensor_copy_gradient_arguments<element, Gradient, Score>;
    static constexpr bool keeps_keys = Kept == attention_kept_rows::keys;
    static_assert(keeps_keys ? Tile::shares_rows == Tile::is_wide : !Tile::shares_rows,
                  "tegula: the tile's shares_rows must equal is_wide for dK and dV (wide: one consumer computes dK, "
                  "the other dV, of the same 64 keys) and be false for dQ");
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::shared_bytes;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return part::blocks(args.problem.forward);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        auto& shared = *reinterpret_cast<control*>(target::shared_memory() + Tile::control_at);
        const int group = warpgroup<target>::number();
        if (target::thread_id() == 0) {
            args.template prefetch_maps<Kept>();
            shared.initialize();
        }
        target::block_barrier();
        if (group == 0) {
            arch::nvidia::decrease_registers<Tile::registers.producer>();
            if (target::wave_id() == 0)
                copy_gradient_rows<Tile>(args, args.template maps<Kept>(), shared, part(args.problem.forward));
        } else {
            arch::nvidia::increase_registers<Tile::registers.consumer>();
            const part all(args.problem.forward);
            if constexpr (Tile::halves)
                consume_halves(args, shared, all, group - 1);
            else if constexpr (!Tile::shares_rows)
                consume<true, keeps_keys>(args, shared, all, group - 1);
            else if (group == 1)
                consume<true, false>(args, shared, all, 0);
            else
                consume<false, true>(args, shared, all, 0);
        }
    }

private:
    using control = typename Tile::control;
    using part = tensor_copy_gradient_part<Kept, Tile, Variant, Sequences>;
    using head_chain = typename Tile::head_chain;
    using value_chain = typename Tile::value_chain;
    using group_target = warpgroup<target>;
    using score_tensor = typename head_chain::score_tensor;
    static constexpr index_t chunk = Tile::chunk;
    static constexpr int consumers_barrier = 2 + Tile::consumers; ///< comes after those of the warpgroups
    static constexpr bool changes = internal::cost_of_changes<Variant, Score>() != internal::change_cost::none;
    using chunk_atom = wgmma_atom<target, element, element, float, static_cast<int>(chunk)>;
    using distribution = tile_distribution<typename chunk_atom::c_encoding>;
    using gradients = attention_score_gradients<group_target, distribution, Variant, Score, keeps_keys>;
    using query_numbers = typename gradients::query_numbers;
    using chunk_tensor = typename gradients::tile;

    /// Two numbers of the queries of a tile, and whether one of the first is_far_exponent.
    struct numbers_of_queries
    {
        query_numbers normalizers, deltas;
        bool far;

        template <address_space Space>
        TEGULA_INLINE void load_normalizers(const float* first, index_t rows, index_t query)
        {
            normalizers = gradients::template load_numbers<Space>(first, rows, query, "normalizers");
            far = gradients::template any_is_far<Space>(first, rows, query);
        }
        template <address_space Space>
        TEGULA_INLINE void load_deltas(const float* first, index_t rows, index_t query)
        {
            deltas = gradients::template load_numbers<Space>(first, rows, query, "deltas");
        }
    };

    /// Run by one consumer, on kept rows from 64 * `number` on. Head: it computes dK or dQ; Value: it computes dV.
    template <bool Head, bool Value>
    static TEGULA_INLINE void consume(const arguments& args, control& shared, const part& all, int number)
    {
        using namespace arch::nvidia;
        using head = typename Tile::kept_head;
        using value = typename Tile::kept_value;
        const auto& problem = args.problem;
        std::byte* const memory = target::shared_memory();
        const auto element_at = [&](index_t byte) { return reinterpret_cast<const element*>(memory + byte); };
        std::byte* const own_head = memory + number * head::bytes;
        std::byte* const own_value = memory + Tile::kept_value_byte + number * value::bytes;
        const auto kept_head = head::descriptor(reinterpret_cast<const element*>(own_head));
        const auto kept_value = value::descriptor(reinterpret_cast<const element*>(own_value));
        // Products read this memory along the columns and across them.
        const element* const first_head = element_at(Tile::first_stage_byte);
        const element* const first_value = element_at(Tile::first_stage_byte + Tile::passing_head::bytes);
        const auto head_along = Tile::passing_head::descriptor(first_head);
        const auto value_along = Tile::passing_value::descriptor(first_value);
        const auto head_across = Tile::head_across::descriptor(first_head);
        const auto value_across = Tile::value_across::descriptor(first_value);

        [[maybe_unused]] std::uint64_t sum_keys = 0, first_sum_scores = 0;
        if constexpr (Tile::adds_dq) {
            sum_keys = Tile::dq_sums::first_keys(element_at(0), number);
            first_sum_scores = Tile::dq_sums::first_scores(element_at(Tile::scores_byte), number);
        }
        const auto sum_scores = [&](index_t step) {
            return Tile::dq_sums::scores::moved(first_sum_scores, (step & 1) * (Tile::dq_sums::scores_bytes / 16));
        };

        attention_place next = all.first_place();
        (keeps_keys ? next.key : next.query) += 64 * number;
        numbers_of_queries numbers;
        if constexpr (!keeps_keys) {
            const long_index_t from = args.workspace.offset(all.batch, problem.forward.heads, all.first_head);
            const index_t rows = args.workspace.padded_rows;
            numbers.template load_normalizers<address_space::global>(args.workspace.normalizers + from, rows,
                                                                     next.query);
            numbers.template load_deltas<address_space::global>(args.workspace.deltas + from, rows, next.query);
        }
        typename head_chain::accumulators of_head;   // dK or dQ, without the factor `scale`
        typename value_chain::accumulators of_value; // dV
        if constexpr (Head)
            static_for<head_chain::output_atom::c_count>([&](auto r) { of_head.tiles[0][r] = 0; });
        if constexpr (Value)
            static_for<value_chain::output_atom::c_count>([&](auto r) { of_value.tiles[0][r] = 0; });
        score_tensor p, ds; // Q K^T and dO V^T, or these transposed, then P and dS
        const stage_release<Tile::stages, false> release(shared.passing, group_target::lane_id() == 0, -1);
        stage_position<Tile::stages> ring;
        if (all.steps > 0)
            mbarrier_wait(&shared.kept, 0);
        TEGULA_ROLLED
        for (index_t step = 0; step < all.steps; ++step, ring.advance(), all.advance(next)) {
            const std::uint32_t units = ring.stage * (Tile::stage_bytes / 16);
            const std::uint32_t unknown = ring.stage >> 8; // 0: see consumer_operands
            shared.passing.wait(ring);
            if constexpr (Head)
                wgmma_fence(p.registers, ds.registers);
            else
                wgmma_fence(p.registers);
            head_chain::multiply(p, head::moved(kept_head, unknown), Tile::passing_head::moved(head_along, units));
            wgmma_commit();
            if constexpr (Head) {
                value_chain::multiply(ds, value::moved(kept_value, unknown),
                                      Tile::passing_value::moved(value_along, units));
                wgmma_commit();
            }
            const float* const first =
                reinterpret_cast<const float*>(memory + Tile::number_byte(0)) + ring.stage * 2 * Tile::columns;
            if constexpr (!changes) { // P while dO V^T is multiplied
                wgmma_wait<Head ? 1 : 0>(p.registers);
                each_chunk(next, [&](const attention_place& at, auto c) {
                    if constexpr (keeps_keys)
                        numbers.template load_normalizers<address_space::shared>(first, Tile::columns, c * chunk);
                    auto part = chunk_of(p, c);
                    gradients::compute_probabilities(part, part, numbers.normalizers, numbers.far, args.workspace,
                                                     problem, all.sequence, at);
                    set_chunk(p, part, c);
                });
                if constexpr (Head) {
                    pin_registers(p.registers);
                    wgmma_wait<0>(ds.registers);
                }
            } else {
                wgmma_wait<0>(p.registers, ds.registers);
            }
            if constexpr (Head)
                each_chunk(next, [&](const attention_place& at, auto c) {
                    if constexpr (keeps_keys)
                        numbers.template load_deltas<address_space::shared>(first + Tile::columns, Tile::columns,
                                                                            c * chunk);
                    auto part = chunk_of(p, c), d_part = chunk_of(ds, c);
                    if constexpr (changes) {
                        if constexpr (keeps_keys)
                            numbers.template load_normalizers<address_space::shared>(first, Tile::columns, c * chunk);
                        gradients::template compute<true>(
                            part, d_part, numbers.normalizers, numbers.deltas, numbers.far, args.workspace, problem,
                            all.sequence, at, [&](const auto& dx) {
                                if constexpr (!keeps_keys || Tile::adds_dq)
                                    gradients::add_bias_gradient(dx, problem, all.sequence, at);
                            });
                        set_chunk(p, part, c);
                        group_target::wave_barrier(); // ptxas would begin with all chunks at once, and spill
                    } else {
                        gradients::differentiate(part, d_part, numbers.deltas);
                    }
                    set_chunk(ds, d_part, c);
                });
            if constexpr (Head && Value) {
                auto d_scores = head_chain::operand_of(ds);
                auto weights = value_chain::operand_of(p);
                if constexpr (Tile::adds_dq) {
                    wgmma_fence(of_value.tiles, weights);
                    value_chain::accumulate(of_value, weights,
                                            Tile::value_across::moved(value_across, units)); // P^T dO
                    wgmma_commit();
                    exchange_scores(d_scores, memory, step, number);
                    typename Tile::dq_sums::accumulators dq;
                    wgmma_fence(dq, of_head.tiles, d_scores);
                    Tile::dq_sums::multiply(dq, sum_keys, sum_scores(step)); // K^T dS^T
                    wgmma_commit();
                    head_chain::accumulate(of_head, d_scores, Tile::head_across::moved(head_across, units)); // dS^T Q
                    wgmma_commit();
                    wgmma_wait<1>(dq);
                    add_to_sums(args, next, dq, memory, number);
                    wgmma_wait<0>(of_head.tiles, of_value.tiles, d_scores, weights);
                } else {
                    wgmma_fence(of_head.tiles, of_value.tiles, d_scores, weights);
                    value_chain::accumulate(of_value, weights,
                                            Tile::value_across::moved(value_across, units));                 // P^T dO
                    head_chain::accumulate(of_head, d_scores, Tile::head_across::moved(head_across, units)); // dS^T Q
                    wgmma_commit();
                    wgmma_wait<0>(of_head.tiles, of_value.tiles, d_scores, weights);
                }
            } else if constexpr (Head) {
                auto d_scores = head_chain::operand_of(ds);
                wgmma_fence(of_head.tiles, d_scores);
                head_chain::accumulate(of_head, d_scores,
                                       Tile::head_across::moved(head_across, units)); // dS K or dS^T Q
                wgmma_commit();
                wgmma_wait<0>(of_head.tiles, d_scores);
            } else {
                auto weights = value_chain::operand_of(p);
                wgmma_fence(of_value.tiles, weights);
                value_chain::accumulate(of_value, weights, Tile::value_across::moved(value_across, units)); // P^T dO
                wgmma_commit();
                wgmma_wait<0>(of_value.tiles, weights);
            }
            release(ring.stage);
        }
        if constexpr (Tile::adds_dq)
            Tile::dq_sums::drain();
        if constexpr (Tile::shares_rows ||
                      Tile::adds_dq) // gradients go through the kept rows, which the other consumer reads, too
            named_barrier(consumers_barrier, 128 * Tile::consumers);
        const index_t row = all.row + 64 * number;
        if constexpr (Head)
            store_warpgroup_rows<group_target, head_chain, Gradient, head::bytes>(
                all.template head_gradient<group_target>(problem), row, of_head, problem.forward.scale, own_head);
        if constexpr (Value)
            store_warpgroup_rows<group_target, value_chain, Gradient, value::bytes>(
                all.template value_gradient<group_target>(problem), row, of_value, 1.0f, own_value);
    }

    /// Run by one consumer of a tile that `halves`. It has the scores of half of the queries that go by. Then it has half of the
    /// columns of dV, dQ and dK, from the P and dS of both consumers.
    static TEGULA_INLINE void consume_halves(const arguments& args, control& shared, const part& all, int number)
    {
        using namespace arch::nvidia;
        using head = typename Tile::kept_head;
        using value = typename Tile::kept_value;
        using passing_head = typename Tile::passing_head;
        using passing_value = typename Tile::passing_value;
        using sums = typename Tile::dq_sums;
        using along = typename sums::scores_along;
        constexpr index_t own_columns = Tile::head_dim / 2;
        using half_chain =
            warpgroup_chain<target, along, wgmma_operand<element, Tile::columns, along::k>,
                            wgmma_operand<element, own_columns, Tile::columns, operand_order::row_contiguous>>;
        const auto& problem = args.problem;
        std::byte* const memory = target::shared_memory();
        const auto element_at = [&](index_t byte) { return reinterpret_cast<const element*>(memory + byte); };
        const element* const first_head = element_at(Tile::first_stage_byte);
        const element* const first_value = element_at(Tile::first_stage_byte + passing_head::bytes);
        constexpr std::uint32_t own_query = passing_head::template part<chunk, 0>();
        constexpr std::uint32_t own_column = Tile::head_across::template part<own_columns, 0>();
        const auto kept_head = head::descriptor(element_at(0));
        const auto kept_value = value::descriptor(element_at(Tile::kept_value_byte));
        const auto head_along = passing_head::moved(passing_head::descriptor(first_head), number * own_query);
        const auto value_along = passing_value::moved(passing_value::descriptor(first_value), number * own_query);
        const auto head_across =
            Tile::head_across::moved(Tile::head_across::descriptor(first_head), number * own_column);
        const auto value_across =
            Tile::value_across::moved(Tile::value_across::descriptor(first_value), number * own_column);
        const auto sum_keys = sums::keys::moved(sums::keys::descriptor(element_at(0)), number * own_column);
        const auto first_weights = along::descriptor(element_at(Tile::scores_byte));
        const auto first_across = sums::scores_across::descriptor(element_at(Tile::scores_byte + along::bytes));

        attention_place next = all.first_place();
        numbers_of_queries numbers;
        typename half_chain::accumulators of_head, of_value; // dK, without the factor `scale`, and dV
        static_for<half_chain::output_atom::c_count>([&](auto r) {
            of_head.tiles[0][r] = 0;
            of_value.tiles[0][r] = 0;
        });
        chunk_tensor p, ds; // Q K^T and dO V^T, transposed, then P and dS
        const stage_release<Tile::stages, false> release(shared.passing, group_target::lane_id() == 0, -1);
        stage_position<Tile::stages> ring;
        if (all.steps > 0)
            mbarrier_wait(&shared.kept, 0);
        TEGULA_ROLLED
        for (index_t step = 0; step < all.steps; ++step, ring.advance(), all.advance(next)) {
            const std::uint32_t units = ring.stage * (Tile::stage_bytes / 16);
            const std::uint32_t unknown = ring.stage >> 8; // 0: see consumer_operands
            shared.passing.wait(ring);
            wgmma_fence(p.registers, ds.registers);
            multiply_scores<head, passing_head>(p, head::moved(kept_head, unknown),
                                                passing_head::moved(head_along, units));
            wgmma_commit();
            multiply_scores<value, passing_value>(ds, value::moved(kept_value, unknown),
                                                  passing_value::moved(value_along, units));
            wgmma_commit();
            const float* const first =
                reinterpret_cast<const float*>(memory + Tile::number_byte(0)) + ring.stage * 2 * Tile::columns;
            attention_place own = next;
            own.query += number * chunk;
            wgmma_wait<1>(p.registers);
            numbers.template load_normalizers<address_space::shared>(first, Tile::columns, number * chunk);
            gradients::compute_probabilities(p, p, numbers.normalizers, numbers.far, args.workspace, problem,
                                             all.sequence, own);
            pin_registers(p.registers);
            wgmma_wait<0>(ds.registers);
            numbers.template load_deltas<address_space::shared>(first + Tile::columns, Tile::columns, number * chunk);
            gradients::differentiate(p, ds, numbers.deltas);

            std::byte* const buffer = memory + Tile::scores_byte + (step & 1) * sums::scores_bytes;
            sums::write_scores(buffer, p, number);
            sums::write_scores(buffer + along::bytes, ds, number);
            fence_proxy_async();
            named_barrier(consumers_barrier, 128 * Tile::consumers); // see exchange_scores
            const std::uint32_t exchanged = (step & 1) * (sums::scores_bytes / 16);
            const auto weights = along::moved(first_weights, exchanged);
            typename sums::accumulators dq;
            wgmma_fence(dq, of_head.tiles, of_value.tiles);
            half_chain::template accumulate_shared<along>(of_value, weights,
                                                          Tile::value_across::moved(value_across, units)); // P^T dO
            sums::multiply(dq, sums::scores_across::moved(first_across, exchanged),
                           sums::keys::moved(sum_keys, unknown)); // dS K
            wgmma_commit();
            half_chain::template accumulate_shared<along>(of_head, along::moved(weights, along::bytes / 16),
                                                          Tile::head_across::moved(head_across, units)); // dS^T Q
            wgmma_commit();
            wgmma_wait<1>(dq);
            const long_index_t query = args.workspace.offset(next.batch, problem.forward.heads, next.head) + next.query;
            sums::add(dq, args.workspace.dq + query * Tile::head_dim, number);
            wgmma_wait<0>(of_head.tiles, of_value.tiles);
            release(ring.stage);
        }
        named_barrier(consumers_barrier, 128 * Tile::consumers); // gradients go through rows that the other reads, too
        constexpr index_t own_bytes = head::bytes / 2;
        store_warpgroup_rows<group_target, half_chain, Gradient, own_bytes>(
            all.template head_gradient<group_target>(problem), all.row, of_head, problem.forward.scale,
            memory + number * own_bytes, number * own_columns);
        store_warpgroup_rows<group_target, half_chain, Gradient, own_bytes>(
            all.template value_gradient<group_target>(problem), all.row, of_value, 1.0f,
            memory + Tile::kept_value_byte + number * own_bytes, number * own_columns);
    }
    /// x = the kept rows times `chunk` of those that go by. It runs asynchronously.
    template <class Rows, class Passing, class Scores>
    static TEGULA_INLINE void multiply_scores(Scores& x, std::uint64_t kept, std::uint64_t passing)
    {
        static_for<Rows::k / chunk_atom::k>([&](auto slice) {
            constexpr index_t k = slice * chunk_atom::k;
            chunk_atom::multiply(x.registers, kept + Rows::template part<0, k>(),
                                 passing + Passing::template part<0, k>(), slice > 0);
        });
    }

    /// Puts this consumer's dS^T in a buffer and waits for the other's. There are two buffers: a consumer that writes one
    /// again has met the other behind its products with it.
    template <class Operand>
    static TEGULA_INLINE void exchange_scores(const Operand& d_scores, std::byte* memory, index_t step, int number)
    {
        using sums = typename Tile::dq_sums;
        sums::write_scores(memory + Tile::scores_byte + (step & 1) * sums::scores_bytes + number * sums::scores::bytes,
                           d_scores);
        arch::nvidia::fence_proxy_async();
        arch::nvidia::named_barrier(consumers_barrier, 128 * Tile::consumers);
    }
    /// Adds this consumer's part of dQ of the queries at `at`.
    template <class Accumulators>
    static TEGULA_INLINE void add_to_sums(const arguments& args, const attention_place& at, const Accumulators& dq,
                                          std::byte* memory, int number)
    {
        const long_index_t query = args.workspace.offset(at.batch, args.problem.forward.heads, at.head) + at.query;
        Tile::dq_sums::add(dq, args.workspace.dq + query * Tile::head_dim, memory + Tile::sums_byte, number);
    }

    /// f(place, constant<c>) for each chunk of the tile of scores at `first`.
    TEGULA_CALLS_BACK
    template <class F>
    static TEGULA_INLINE void each_chunk(attention_place at, const F& f)
    {
        static_for<Tile::columns / chunk>([&](auto c) {
            f(at, c);
            (keeps_keys ? at.query : at.key) += chunk;
        });
    }
    template <int C>
    static TEGULA_INLINE chunk_tensor chunk_of(const score_tensor& x, constant<C>)
    {
        chunk_tensor part;
        static_for<distribution::num_registers>([&](auto r) { part[r] = x[C * distribution::num_registers + r]; });
        return part;
    }
    template <int C>
    static TEGULA_INLINE void set_chunk(score_tensor& x, const chunk_tensor& part, constant<C>)
    {
        static_for<distribution::num_registers>([&](auto r) { x[C * distribution::num_registers + r] = part[r]; });
    }
};

} // namespace tegula
