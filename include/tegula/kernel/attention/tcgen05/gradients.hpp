#pragma once

#include <tegula/kernel/attention/backward/score_gradients.hpp>
#include <tegula/kernel/attention/tcgen05/gradient_tile.hpp>
#include <tegula/kernel/attention/tcgen05/output.hpp>

namespace tegula {

/// The tensor maps of one kernel: boxes are of the rows that a block keeps, or that go by at a time.
struct tcgen05_gradient_maps
{
    tensor_map q, d_o, k, v; ///< [batch, heads, rows, columns]
};

/// What both kernels are launched with.
template <class T, class Gradient, class Score>
struct tcgen05_gradient_arguments : attention_gradient_arguments<T, T, Gradient, Score>
{
    tcgen05_gradient_maps by_keys;    ///< of the kernel that keeps keys
    tcgen05_gradient_maps by_queries; ///< of the one that keeps queries
};

/// Which rows a block of tcgen05_attention_gradients keeps, and so which gradients it has.
enum class tcgen05_kept_rows {
    keys,    ///< K and V: dK and dV, over the queries of all heads that share them
    queries, ///< Q and dO: dQ, over the keys, and what the bias's gradient gets
};

/// Gradients of attention on sm_100a and sm_103a by blocks whose warps have different tasks: one lane copies rows to
/// shared memory by tensor copies, one has the tensor core multiply, and two warpgroups make P and dS of the scores in
/// tensor memory, from where the tensor core reads them. Nothing is added up between blocks.
///
///   Tile     a tcgen05_gradient_tile
///   Variant  an attention_variant with a contiguous cache, heads apart, and without block lists
///   Score    a functor like unchanged_score
template <tcgen05_kept_rows Kept, class Tile, class Variant, class Gradient, class Score>
struct tcgen05_attention_gradients
{
    static_assert(Tile::check());
    static_assert(Variant::cache == attention_cache::contiguous && Variant::mask != attention_mask::lists,
                  "tegula: a backward pass by tcgen05 has neither pages nor block lists; take an "
                  "attention_backward_for");

    using target = typename Tile::target;
    using element = typename Tile::element;
    using arguments = tcgen05_gradient_arguments<element, Gradient, Score>;
    static constexpr bool keeps_keys = Kept == tcgen05_kept_rows::keys;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::shared_bytes;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        const auto& forward = args.problem.forward;
        return tiles(forward) * forward.batch * (keeps_keys ? forward.kv_heads : forward.heads);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        auto& shared = *reinterpret_cast<control*>(target::shared_memory() + Tile::control_at);
        if (target::thread_id() == 0) {
            if (args.problem.forward.seq_q > 0 && args.problem.forward.seq_k > 0) { // else there are no maps
                const tcgen05_gradient_maps& maps = maps_of(args);
                for (const tensor_map* map : {&maps.q, &maps.d_o, &maps.k, &maps.v})
                    arch::nvidia::prefetch_tensor_map(*map);
            }
            arch::nvidia::mbarrier_init(&shared.kept, 1);
            arch::nvidia::mbarrier_init(&shared.done, 1);
            static_for<Tile::consumers>([&](auto c) {
                arch::nvidia::mbarrier_init(&shared.scores[c], 1);
                arch::nvidia::mbarrier_init(&shared.weights[c], 4);
                arch::nvidia::mbarrier_init(&shared.gradients[c], 1);
            });
            shared.passing.initialize();
            arch::nvidia::fence_mbarrier_init();
        }
        const arch::nvidia::tensor_memory_scope<target, Tile::tensor_columns> memory(&shared.tensor_address);
        // As in tcgen05_attention. Shared as a function of function objects nvcc 13.0 addresses the arguments' memory
        // generically and keeps 32 bytes of a stack.
        const int group = warpgroup<target>::number();
        if (group == 0) {
            arch::nvidia::decrease_registers<Tile::registers.producer>();
            const int wave = target::uniform(target::wave_id());
            if (wave == 0 && arch::nvidia::elect_one())
                produce(args, shared, part(args.problem.forward));
            else if (wave == 1 && arch::nvidia::elect_one())
                multiply(shared, part(args.problem.forward).steps, memory.address());
            target::wave_barrier();
        } else {
            arch::nvidia::increase_registers<Tile::registers.consumer>();
            consume(args, shared, part(args.problem.forward), group - 1, memory.address());
        }
    }

private:
    using control = typename Tile::control;
    using ring_position = stage_position<Tile::stages>;
    using head_chain = typename Tile::head_chain;
    using value_chain = typename Tile::value_chain;
    using group_target = warpgroup<target>;
    static constexpr index_t chunk = Tile::chunk;
    using distribution = tensor_memory_distribution<chunk>;
    using gradients = attention_score_gradients<group_target, distribution, Variant, Score, keeps_keys>;
    using query_numbers = typename gradients::query_numbers;

    template <class Forward>
    static constexpr TEGULA_HOST_DEVICE index_t tiles(const Forward& forward)
    {
        return ceil_div(keeps_keys ? forward.seq_k : forward.seq_q, Tile::rows);
    }
    static TEGULA_INLINE const tcgen05_gradient_maps& maps_of(const arguments& args)
    {
        if constexpr (keeps_keys)
            return args.by_keys;
        else
            return args.by_queries;
    }

    /// What the block has to do: `steps` tiles of rows that go by, those of each head `tiles` in a row. A role finds it
    /// anew: values from before the roles part cost registers in all.
    struct part
    {
        index_t batch, kv_head;
        index_t first_head; ///< of Q
        index_t row;        ///< first kept
        index_t first;      ///< first row that goes by
        index_t tiles;
        index_t steps;
        attention_sequence sequence;

        template <class Forward>
        TEGULA_INLINE explicit part(const Forward& forward)
        {
            const index_t all = tcgen05_attention_gradients::tiles(forward), number = target::block_id()[0];
            const index_t heads = keeps_keys ? forward.kv_heads : forward.heads;
            const index_t group = forward.heads / forward.kv_heads, head = number / all % heads;
            batch = number / all / heads;
            kv_head = keeps_keys ? head : head / group;
            first_head = keeps_keys ? head * group : head;
            row = number % all * Tile::rows;
            sequence = attention_sequence::of_one_length(forward, batch);
            if constexpr (Variant::mask == attention_mask::none)
                sequence.band = {};
            const key_range seen = keeps_keys ? sequence.queries_of(row, min(row + Tile::rows, sequence.keys))
                                              : sequence.keys_of(row, min(row + Tile::rows, sequence.queries));
            first = seen.first / Tile::columns * Tile::columns;
            tiles = ceil_div(max(seen.last - first, 0), Tile::columns);
            steps = keeps_keys ? group * tiles : tiles;
        }

        /// The tile of scores of a step.
        TEGULA_INLINE attention_place place(index_t step) const
        {
            if constexpr (keeps_keys) {
                const index_t head = step / tiles;
                return {batch, first_head + head, first + (step - head * tiles) * Tile::columns, row};
            } else {
                return {batch, first_head, row, first + step * Tile::columns};
            }
        }
    };

    /// One lane: loads the kept rows, and tile after tile of those that go by; nothing if there are none.
    static TEGULA_INLINE void produce(const arguments& args, control& shared, const part& all)
    {
        using enum arch::nvidia::l2_hint;
        if (all.steps == 0)
            return; // nobody would wait for the kept rows
        std::byte* const memory = target::shared_memory();
        const tcgen05_gradient_maps& maps = maps_of(args);
        const tensor_map& kept_head = keeps_keys ? maps.k : maps.q;
        const tensor_map& kept_value = keeps_keys ? maps.v : maps.d_o;
        const tensor_map& passing_head = keeps_keys ? maps.q : maps.k;
        const tensor_map& passing_value = keeps_keys ? maps.d_o : maps.v;
        const array<int, 2> of_kept{keeps_keys ? all.kv_head : all.first_head, all.batch};
        arch::nvidia::mbarrier_arrive_expect(&shared.kept, Tile::first_stage_byte);
        tensor_operand<typename Tile::kept_head, 1>::template load<evict_first>(memory, kept_head, all.row, 0, of_kept,
                                                                                &shared.kept, 0, 0);
        tensor_operand<typename Tile::kept_value, 1>::template load<evict_first>(
            memory + Tile::kept_value_byte, kept_value, all.row, 0, of_kept, &shared.kept, 0, 0);
        ring_position stage;
        TEGULA_ROLLED
        for (index_t step = 0; step < all.steps; ++step, stage.advance()) {
            const attention_place at = all.place(step);
            const index_t row = keeps_keys ? at.query : at.key;
            const array<int, 2> of_passing{keeps_keys ? at.head : all.kv_head, all.batch};
            std::byte* const to = memory + Tile::first_stage_byte + stage.stage * Tile::stage_bytes;
            arch::nvidia::mbarrier* const full = shared.passing.claim(stage, Tile::stage_bytes);
            tensor_operand<typename Tile::passing_head, 1>::template load<normal>(to, passing_head, row, 0, of_passing,
                                                                                  full, 0, 0);
            tensor_operand<typename Tile::passing_value, 1>::template load<normal>(
                to + Tile::passing_head::bytes, passing_value, row, 0, of_passing, full, 0, 0);
        }
    }

    /// One lane: the scores of a step, and then, while its warpgroup makes P and dS of them, the gradients that the step
    /// before leaves. Places are hidden in each round, as in tcgen05_attention: on sm_103a ptxas would hold those of all
    /// slices in registers across the loop, more than the warp has.
    static TEGULA_INLINE void multiply(control& shared, index_t steps, std::uint32_t address)
    {
        using namespace arch::nvidia;
        if (steps == 0)
            return;
        const std::byte* const memory = target::shared_memory();
        const auto element_at = [&](index_t byte) { return reinterpret_cast<const element*>(memory + byte); };
        constexpr index_t stage_units = Tile::stage_bytes / 16;
        const auto kept_head = Tile::kept_head::descriptor(element_at(0));
        const auto kept_value = Tile::kept_value::descriptor(element_at(Tile::kept_value_byte));
        const element* const first_head = element_at(Tile::first_stage_byte);
        const element* const first_value = element_at(Tile::first_stage_byte + Tile::passing_head::bytes);
        // The same memory, read along the columns and across them.
        const auto head_along = Tile::passing_head::descriptor(first_head);
        const auto value_along = Tile::passing_value::descriptor(first_value);
        const auto head_across = Tile::head_across::descriptor(first_head);
        const auto value_across = Tile::value_across::descriptor(first_value);

        mbarrier_wait(&shared.kept, 0);
        ring_position front, back;
        TEGULA_ROLLED
        for (index_t step = 0; step <= steps; ++step) {
            if (step < steps) {
                const int c = step % 2;
                const std::uint32_t scores = address + Tile::score_column(c);
                shared.passing.wait(front);
                if (step >= 2) { // P and dS of the tile before lie there
                    mbarrier_wait(&shared.gradients[c], (step / 2 - 1) & 1);
                    tensor_fence_after();
                }
                index_t kept = 0;
                target::make_opaque(kept);
                head_chain::multiply(scores, Tile::kept_head::moved(kept_head, kept),
                                     Tile::passing_head::moved(head_along, front.stage * stage_units));
                value_chain::multiply(scores + Tile::d_weight_offset, Tile::kept_value::moved(kept_value, kept),
                                      Tile::passing_value::moved(value_along, front.stage * stage_units));
                tensor_commit<1>(&shared.scores[c]);
                front.advance();
            }
            if (step > 0) {
                const index_t before = step - 1;
                const int c = before % 2;
                const std::uint32_t weights = address + Tile::score_column(c);
                mbarrier_wait(&shared.weights[c], before / 2 & 1);
                tensor_fence_after();
                if constexpr (keeps_keys) // dV += P^T dO
                    value_chain::accumulate(address + Tile::value_column, weights,
                                            Tile::value_across::moved(value_across, back.stage * stage_units),
                                            before > 0);
                head_chain::accumulate(address + Tile::head_column, weights + Tile::d_weight_offset, // dS^T Q or dS K
                                       Tile::head_across::moved(head_across, back.stage * stage_units), before > 0);
                // Behind the last products nothing but `done` must be on its way: nobody would wait for it.
                if (step < steps)
                    shared.passing.release(back);
                if (step + 1 < steps)
                    tensor_commit<1>(&shared.gradients[c]);
                back.advance();
            }
        }
        tensor_commit<1>(&shared.done);
    }

    /// One warpgroup: P and dS of every other step, then one of the gradients.
    static TEGULA_INLINE void consume(const arguments& args, control& shared, const part& all, int number,
                                      std::uint32_t address)
    {
        using namespace arch::nvidia;
        const auto& problem = args.problem;
        const std::uint32_t own = address + tensor_memory_address(32 * group_target::wave_id(), 0);
        const std::uint32_t scores = own + Tile::score_column(number);
        query_numbers normalizers, deltas;
        const auto load_numbers = [&](const attention_place& at) {
            const long_index_t from = args.workspace.offset(at.batch, problem.forward.heads, at.head);
            const index_t rows = args.workspace.padded_rows;
            normalizers = gradients::load_numbers(args.workspace.normalizers + from, rows, at.query, "normalizers");
            deltas = gradients::load_numbers(args.workspace.deltas + from, rows, at.query, "deltas");
        };
        if constexpr (!keeps_keys)
            load_numbers(all.place(0));
        int parity = 0;
        TEGULA_ROLLED
        for (index_t step = number; step < all.steps; step += Tile::consumers, parity ^= 1) {
            attention_place at = all.place(step);
            mbarrier_wait(&shared.scores[number], parity);
            tensor_fence_after();
            TEGULA_ROLLED
            for (std::uint32_t column = 0; column < Tile::columns; column += chunk) {
                distributed_tensor<float, distribution> p, ds; // Q K^T and dO V^T, or these transposed
                head_chain::template load<chunk>(p, scores + column);
                head_chain::template load<chunk>(ds, scores + Tile::d_weight_offset + column);
                if constexpr (keeps_keys)
                    load_numbers(at);
                gradients::template compute<true>(p, ds, normalizers, deltas, problem, all.sequence, at,
                                                  [&](const auto& dx) {
                                                      if constexpr (!keeps_keys)
                                                          gradients::add_bias_gradient(dx, problem, all.sequence, at);
                                                  });
                if constexpr (keeps_keys)
                    head_chain::store_operand(p, scores + column / 2);
                head_chain::store_operand(ds, scores + Tile::d_weight_offset + column / 2);
                (keeps_keys ? at.query : at.key) += chunk;
            }
            tensor_wait_stores();
            tensor_fence_before();
            group_target::wave_barrier();
            if (group_target::lane_id() == 0)
                mbarrier_arrive(&shared.weights[number]);
        }
        const bool any = all.steps > 0;
        if (any) {
            mbarrier_wait(&shared.done, 0);
            tensor_fence_after();
        }
        store_gradients(problem, all, number, own, any);
    }

    /// Warpgroup 0 stores dK or dQ, the other dV: by way of the kept rows, which nobody reads any more.
    template <class Problem>
    static TEGULA_INLINE void store_gradients(const Problem& problem, const part& all, int number, std::uint32_t own,
                                              bool any)
    {
        const auto& forward = problem.forward;
        std::byte* const memory = target::shared_memory();
        const auto view = [&](const auto& x, index_t head, index_t rows, index_t columns, const char* name) {
            const auto of_head = internal::head_of(x, all.batch, head, 0);
            return make_tensor_view<group_target, address_space::global>(
                of_head.data,
                make_strided_descriptor(make_tuple(rows, columns), make_tuple(of_head.row_stride, constant<1>{}),
                                        constant<16 / static_cast<index_t>(sizeof(Gradient))>{}),
                name);
        };
        if (number == 0) {
            const auto to = keeps_keys ? view(problem.dk, all.kv_head, all.sequence.keys, forward.head_dim, "dK")
                                       : view(problem.dq, all.first_head, all.sequence.queries, forward.head_dim, "dQ");
            store_tensor_memory<group_target, head_chain, Gradient, Tile::head_dim, Tile::kept_head::bytes>(
                to, all.row, own + Tile::head_column, any, forward.scale, memory);
        } else if constexpr (keeps_keys) {
            store_tensor_memory<group_target, head_chain, Gradient, Tile::value_dim, Tile::kept_value::bytes>(
                view(problem.dv, all.kv_head, all.sequence.keys, forward.value_dim, "dV"), all.row,
                own + Tile::value_column, any, 1.0f, memory + Tile::kept_value_byte);
        }
    }
};

} // namespace tegula
