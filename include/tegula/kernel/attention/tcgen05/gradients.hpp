#pragma once

#include <tegula/kernel/attention/backward/score_gradients.hpp>
#include <tegula/kernel/attention/backward/tensor_copy_rows.hpp>
#include <tegula/kernel/attention/tcgen05/gradient_output.hpp>
#include <tegula/kernel/attention/tcgen05/gradient_roles.hpp>
#include <tegula/kernel/attention/tcgen05/square_gradients.hpp>

namespace tegula {

/// Gradients of attention on sm_100a and sm_103a by blocks whose warps have different tasks. One lane copies rows to
/// shared memory by tensor copies, and one has the tensor core multiply. Two warpgroups make P and dS of the scores in
/// tensor memory, from where the tensor core reads them. Blocks add nothing up between them, unless the tile adds dQ: then
/// blocks that keep keys add to the sums of dQ in the workspace.
///
///   Tile     a tcgen05_gradient_tile or tcgen05_square_gradient_tile
///   Variant  an attention_variant with a contiguous cache, heads apart, and without block lists
///   Score    a functor like unchanged_score
///   Sequences  whether lengths of sequences may vary
template <attention_kept_rows Kept, class Tile, class Variant, class Gradient, class Score,
          attention_sequences Sequences = attention_sequences::of_one_length>
struct tcgen05_attention_gradients
{
    static_assert(Tile::check());
    /// Whether both warpgroups share a tile of scores.
    static constexpr bool is_square = Tile::rows == Tile::columns;
    static_assert(Variant::cache == attention_cache::contiguous && Variant::mask != attention_mask::lists,
                  "tegula: a backward pass by tcgen05 has neither pages nor block lists; take an "
                  "attention_backward_for");
    static_assert(is_square || Tile::stages >= 2 + (Sequences == attention_sequences::of_any_length ? 1 : 0),
                  "tegula: a backward pass by tcgen05 takes at least 2 stages, or 3 for sequences of any length, whose "
                  "last tile waits for the next one's copies");

    using target = typename Tile::target;
    using element = typename Tile::element;
    using arguments = tensor_copy_gradient_arguments<element, Gradient, Score>;
    static constexpr bool keeps_keys = Kept == attention_kept_rows::keys;
    static_assert(keeps_keys || !Tile::adds_dq);
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
        if (target::thread_id() == 0) {
            args.template prefetch_maps<Kept>();
            shared.initialize();
        }
        const arch::nvidia::tensor_memory_scope<target, Tile::tensor_columns> memory(&shared.tensor_address);
        // As in tcgen05_attention. If both called a common function with function objects, nvcc 13.0 would address the
        // arguments' memory generically and keep a stack of 32 bytes.
        const int group = warpgroup<target>::number();
        if (group == 0) {
            arch::nvidia::decrease_registers<Tile::registers.producer>();
            const int wave = target::uniform(target::wave_id());
            if (wave == 0)
                copy_gradient_rows<Tile>(args, args.template maps<Kept>(), shared, part(args.problem.forward));
            else if (wave == 1 && arch::nvidia::elect_one()) {
                if constexpr (is_square)
                    multiply_square_gradient_tiles<Tile>(shared, part(args.problem.forward).steps, memory.address());
                else
                    multiply_gradient_tiles<Tile, keeps_keys>(shared, part(args.problem.forward).steps,
                                                              memory.address());
            }
            target::wave_barrier();
        } else {
            arch::nvidia::increase_registers<Tile::registers.consumer>();
            if constexpr (is_square)
                square_gradient_consumer<Tile, Variant, Score>::run(args, shared, part(args.problem.forward), group - 1,
                                                                    memory.address());
            else
                consume(args, shared, part(args.problem.forward), group - 1, memory.address());
        }
    }

private:
    using control = typename Tile::control;
    using part = tensor_copy_gradient_part<Kept, Tile, Variant, Sequences>;
    using head_chain = typename Tile::head_chain;
    using value_chain = typename Tile::value_chain;
    using places = typename Tile::template places<keeps_keys>;
    static constexpr bool stores_rows = places::stores_head || places::stores_value;
    using group_target = warpgroup<target>;
    static constexpr index_t chunk = Tile::chunk;
    using distribution = tensor_memory_distribution<chunk>;
    using gradients = attention_score_gradients<group_target, distribution, Variant, Score, keeps_keys>;
    using query_numbers = typename gradients::query_numbers;

    /// Run by one warpgroup: makes P and dS of every other step, then stores one of the gradients.
    static TEGULA_INLINE void consume(const arguments& args, control& shared, const part& all, int number,
                                      std::uint32_t address)
    {
        using namespace arch::nvidia;
        const auto& problem = args.problem;
        const std::uint32_t own = address + tensor_memory_address(32 * group_target::wave_id(), 0);
        const std::uint32_t scores = own + places::scores(number), d_weights = own + places::d_weights(number);
        const std::uint32_t own_ds = own + places::ds(number);
        query_numbers normalizers, deltas;
        bool far = false;
        // Numbers of queries that go by lie in the stage, of those that are kept in the workspace.
        constexpr address_space space = keeps_keys ? address_space::shared : address_space::global;
        const auto load_numbers = [&](const float* first, const float* first_delta, index_t rows, index_t query) {
            normalizers = gradients::template load_numbers<space>(first, rows, query, "normalizers");
            deltas = gradients::template load_numbers<space>(first_delta, rows, query, "deltas");
            far = gradients::template any_is_far<space>(first, rows, query);
        };
        if (stores_rows && all.steps > 0)
            store_rows(shared, number, own);
        int parity = 0;
        attention_place next = all.first_place();
        if constexpr (!keeps_keys) {
            const long_index_t from = args.workspace.offset(next.batch, problem.forward.heads, next.head);
            load_numbers(args.workspace.normalizers + from, args.workspace.deltas + from, args.workspace.padded_rows,
                         next.query);
        }
        stage_position<Tile::stages> stage;
        if (number > 0) {
            all.advance(next);
            stage.advance();
        }
        TEGULA_ROLLED
        for (index_t step = number; step < all.steps; step += Tile::consumers, parity ^= 1) {
            attention_place at = next;
            static_for<Tile::consumers>([&](auto) { all.advance(next); });
            const float* const first =
                reinterpret_cast<const float*>(target::shared_memory() + Tile::number_byte(stage.stage));
            if constexpr (keeps_keys)
                shared.passing.wait(stage);
            mbarrier_wait(&shared.scores[number], parity);
            tensor_fence_after();
            if constexpr (Tile::adds_dq)
                Tile::dq_sums::drain(); // dQ of the last step leaves by the memory of dS
            TEGULA_ROLLED
            for (std::uint32_t column = 0; column < Tile::columns; column += chunk) {
                distributed_tensor<float, distribution> p, ds; // Q K^T and dO V^T, or these transposed
                head_chain::template load<chunk>(p, scores + column);
                head_chain::template load<chunk>(ds, d_weights + column);
                if constexpr (places::tells_reads)
                    if (column + chunk == Tile::columns)
                        arrive_after_tensor_access<group_target>(&shared.read[number]);
                if constexpr (keeps_keys)
                    load_numbers(first, first + Tile::columns, Tile::columns, static_cast<index_t>(column));
                gradients::template compute<true>(p, ds, normalizers, deltas, far, args.workspace, problem,
                                                  all.sequence, at, [&](const auto& dx) {
                                                      if constexpr (!keeps_keys || Tile::adds_dq)
                                                          gradients::add_bias_gradient(dx, problem, all.sequence, at);
                                                  });
                const auto first_column = static_cast<index_t>(column);
                if constexpr (keeps_keys)
                    head_chain::store_operand(p, scores + column);
                head_chain::store_operand(ds, own_ds + places::ds_of_chunk(column));
                if constexpr (Tile::adds_dq)
                    Tile::dq_sums::write_scores(scores_memory(number), first_column, ds);
                (keeps_keys ? at.query : at.key) += chunk;
            }
            tensor_wait_stores();
            if constexpr (Tile::adds_dq)
                fence_proxy_async();
            arrive_after_tensor_access<group_target>(&shared.weights[number]);
            if constexpr (Tile::adds_dq)
                add_to_sums(args, shared, at, scores, number, parity);
            if constexpr (keeps_keys)
                static_for<Tile::consumers>([&](auto) { stage.advance(); });
        }
        if constexpr (Tile::adds_dq)
            Tile::dq_sums::drain();
        const bool any = all.steps > 0;
        if (any) {
            mbarrier_wait(&shared.done, 0);
            tensor_fence_after();
        }
        store_tensor_memory_gradients<Tile>(problem, all, number, own, any);
    }

    /// Warpgroup 0 stores the kept rows of Q or K to tensor memory, the other those of dO or V, where there is room.
    static TEGULA_INLINE void store_rows(control& shared, int number, std::uint32_t address)
    {
        const auto rows_at = [](index_t byte) {
            return reinterpret_cast<const element*>(target::shared_memory() + byte);
        };
        arch::nvidia::mbarrier_wait(&shared.kept, 0);
        if (places::stores_head && number == 0)
            head_chain::store_rows(address + places::kept_head, rows_at(0));
        if (places::stores_value && number == 1)
            value_chain::store_rows(address + places::kept_value, rows_at(Tile::kept_value_byte));
        arrive_after_tensor_access<group_target>(&shared.stored);
    }
    /// Shared memory of a consumer's dS.
    static TEGULA_INLINE std::byte* scores_memory(int number)
    {
        return target::shared_memory() + Tile::scores_byte + number * Tile::dq_sums::scores::bytes;
    }
    /// Adds dQ of the tile whose queries end at `at` to the sums.
    ///
    ///   address  of dQ^T in the wave's lanes of tensor memory
    static TEGULA_INLINE void add_to_sums(const arguments& args, control& shared, const attention_place& at,
                                          std::uint32_t address, int number, int parity)
    {
        using namespace arch::nvidia;
        distributed_tensor<float, tensor_memory_distribution<Tile::columns>> dq;
        mbarrier_wait(&shared.dq[number], parity);
        tensor_fence_after();
        head_chain::template load<Tile::columns>(dq, address);
        arrive_after_tensor_access<group_target>(&shared.dq_read[number]);
        const long_index_t query =
            args.workspace.offset(at.batch, args.problem.forward.heads, at.head) + at.query - Tile::columns;
        Tile::dq_sums::add(dq, args.workspace.dq + query * Tile::head_dim,
                           {scores_memory(number), scores_memory(number)}, true);
    }
};

} // namespace tegula
