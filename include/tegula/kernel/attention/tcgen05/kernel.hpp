#pragma once

#include <tegula/kernel/attention/score_changes.hpp>
#include <tegula/kernel/attention/tcgen05/output.hpp>
#include <tegula/kernel/attention/tcgen05/tile.hpp>
#include <tegula/kernel/attention/tensor_copy_attention.hpp>

namespace tegula {

/// The forward pass of attention on sm_100a and sm_103a by blocks whose warps have different tasks: one lane copies Q, K
/// and V to shared memory by tensor copies, one lane has the tensor core multiply, and warpgroups, 128 queries each, make
/// weights of the scores in tensor memory, a row in each thread. While one warpgroup does so, the products of the other
/// run. attention_arguments says what is computed.
///
///   Tile     a tcgen05_attention_tile
///   O        element type of the output
///   Variant  an attention_variant with a contiguous cache, heads apart, and without block lists
///   Score    a functor like unchanged_score
template <class Tile, class O = typename Tile::element, class Variant = attention_variant<>,
          class Score = unchanged_score>
struct tcgen05_attention : tensor_copy_attention<Tile, O, Variant, Score>
{
    using base = tensor_copy_attention<Tile, O, Variant, Score>;
    using typename base::arguments;
    using typename base::element;
    using typename base::problem_type;
    using typename base::target;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        auto& shared = base::control_of_block();
        if (target::thread_id() == 0) {
            base::prefetch_maps(args);
            static_for<Tile::consumers>([&](auto c) {
                for (auto* barrier : {&shared.queries[c], &shared.scores[c], &shared.output[c]})
                    arch::nvidia::mbarrier_init(barrier, 1);
                arch::nvidia::mbarrier_init(&shared.weights[c], 4);
            });
            shared.keys.initialize();
            shared.values.initialize();
            arch::nvidia::fence_mbarrier_init();
        }
        const arch::nvidia::tensor_memory_scope<target, Tile::tensor_columns> memory(&shared.tensor_address);
        const int group = warpgroup<target>::number();
        if (group == 0) {
            arch::nvidia::decrease_registers<Tile::registers.producer>();
            const int wave = target::uniform(target::wave_id());
            if (wave == 0 && arch::nvidia::elect_one()) {
                const part all(args.problem);
                base::produce(args, shared, all.at, all.tile);
            } else if (wave == 1 && arch::nvidia::elect_one())
                multiply(shared, part(args.problem).tile, memory.address());
            target::wave_barrier();
        } else {
            arch::nvidia::increase_registers<Tile::registers.consumer>();
            consume(args.problem, shared, part(args.problem), group - 1, memory.address());
        }
    }

private:
    using typename base::control;
    using typename base::part;
    using typename base::ring_position;
    using typename base::tiles_of_keys;
    using typename base::work;
    using consumer = typename Tile::consumer;
    using chain = typename consumer::chain;
    using softmax = typename consumer::softmax;

    /// One lane: scores of each consumer, and as soon as it has made weights of them, the product with the values and
    /// the scores of the next keys.
    /// Places are hidden in each round: on sm_103a ptxas would hold those of all slices in registers across the loop, more
    /// than the warp has.
    static TEGULA_INLINE void multiply(control& shared, tiles_of_keys tile, std::uint32_t address)
    {
        using namespace arch::nvidia;
        using queries = typename Tile::query_operand;
        using keys = typename Tile::key_operand;
        using values = typename Tile::value_operand;
        if (!tile.inside())
            return;
        const std::byte* const memory = target::shared_memory();
        const auto element_at = [&](index_t byte) { return reinterpret_cast<const element*>(memory + byte); };
        const auto first_q = queries::descriptor(element_at(0));
        const auto first_k = keys::descriptor(element_at(Tile::first_key_byte));
        const auto first_v = values::descriptor(element_at(Tile::first_value_byte));
        const auto score = [&](int c, int stage) {
            index_t own = c * (queries::bytes / 16);
            target::make_opaque(own);
            chain::multiply(address + Tile::score_column(c), queries::moved(first_q, own),
                            keys::moved(first_k, stage * (keys::bytes / 16)));
        };
        ring_position key, value;
        shared.keys.wait(key);
        static_for<Tile::consumers>([&](auto c) {
            mbarrier_wait(&shared.queries[c], 0);
            score(c, key.stage);
            tensor_commit<1>(&shared.scores[c]);
        });
        shared.keys.release(key);
        bool first = true;
        int parity = 0;
        TEGULA_ROLLED
        while (tile.inside()) {
            tile.advance();
            const bool more = tile.inside();
            key.advance();
            shared.values.wait(value);
            static_for<Tile::consumers>([&](auto c) {
                mbarrier_wait(&shared.weights[c], parity);
                tensor_fence_after();
                index_t columns = static_cast<index_t>(address);
                target::make_opaque(columns);
                const auto own = static_cast<std::uint32_t>(columns);
                chain::accumulate(own + Tile::output_column(c), own + Tile::score_column(c),
                                  values::moved(first_v, value.stage * (values::bytes / 16)), !first);
                tensor_commit<1>(&shared.output[c]);
                if (!more)
                    return;
                if (c == 0)
                    shared.keys.wait(key);
                // Products of two shapes need not keep their order, and these scores overwrite those weights.
                mbarrier_wait(&shared.output[c], parity);
                tensor_fence_after();
                score(c, key.stage);
                tensor_commit<1>(&shared.scores[c]);
            });
            if (more) { // behind the last products nothing must be on its way: nobody would wait for it
                shared.values.release(value);
                shared.keys.release(key);
            }
            value.advance();
            parity ^= 1;
            first = false;
        }
    }

    /// One consumer warpgroup: the rows of its 128 queries.
    static TEGULA_INLINE void consume(const problem_type& args, control& shared, const part& all, int number,
                                      std::uint32_t address)
    {
        using namespace arch::nvidia;
        const attention_sequence& sequence = all.sequence;
        tiles_of_keys tile = all.tile;
        work at = all.at;
        using group = typename consumer::target;
        at.row += Tile::consumer_queries * number;
        const std::uint32_t own = address + tensor_memory_address(32 * group::wave_id(), 0);
        const std::uint32_t own_scores = own + Tile::score_column(number);
        const std::uint32_t own_output = own + Tile::output_column(number);
        const score_changes<consumer, problem_type, Variant> change(args, sequence, at);
        softmax soft;
        soft.clear();
        const bool any = tile.inside();
        int parity = 0;
        TEGULA_ROLLED
        for (bool first = true; tile.inside(); tile.advance(), first = false, parity ^= 1) {
            mbarrier_wait(&shared.scores[number], parity); // and the output of the weights before
            tensor_fence_after();
            typename chain::score_tensor scores; // [128, keys]
            chain::template load<Tile::keys>(scores, own_scores);
            change.apply(scores, tile.key());
            soft.soften_with(scores, change.scale(), [&](const auto& factor) {
                if (!first)
                    chain::update(own_output, [&](auto& x) { transform(x, [&](float y) { return y * factor[0]; }); });
            });
            change.drop(scores, tile.key());
            chain::store_operand(scores, own_scores);
            tensor_wait_stores();
            tensor_fence_before();
            group::wave_barrier();
            if (group::lane_id() == 0)
                mbarrier_arrive(&shared.weights[number]);
        }
        if (any) {
            mbarrier_wait(&shared.output[number], parity ^ 1);
            tensor_fence_after();
        }
        store_tensor_memory_rows<Tile, O>(args, sequence, at, own_output, any, soft.end(change.sinks()),
                                          target::shared_memory() + number * Tile::query_operand::bytes);
    }
};

} // namespace tegula
