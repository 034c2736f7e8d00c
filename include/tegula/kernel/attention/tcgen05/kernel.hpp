#pragma once

#include <tegula/kernel/attention/score_changes.hpp>
#include <tegula/kernel/attention/tcgen05/multiply.hpp>
#include <tegula/kernel/attention/tcgen05/output.hpp>
#include <tegula/kernel/attention/tcgen05/tile.hpp>
#include <tegula/kernel/attention/tensor_copy_attention.hpp>

namespace tegula {

/// The forward pass of attention on sm_100a and sm_103a by blocks whose warps have different tasks. One lane copies Q,
/// K and V to shared memory by tensor copies, and one lane has the tensor core multiply. Warpgroups, 128 queries each,
/// make weights of the scores in tensor memory, a row in each thread. While one warpgroup does so, the products of the
/// other run. attention_arguments says what is computed.
///
///   Tile       a tcgen05_attention_tile
///   O          element type of the output
///   Variant    an attention_variant with heads apart, without block lists, and with a contiguous or a paged cache
///   Score      a functor like unchanged_score
///   Sequences  whether lengths of sequences may vary; over pages they may
template <class Tile, class O = typename Tile::element, class Variant = attention_variant<>,
          class Score = unchanged_score, attention_sequences Sequences = attention_sequences::of_one_length>
struct tcgen05_attention : tensor_copy_attention<Tile, O, Variant, Score, Sequences>
{
    using base = tensor_copy_attention<Tile, O, Variant, Score, Sequences>;
    using typename base::arguments;
    using typename base::element;
    using typename base::problem_type;
    using typename base::target;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        if (part(args.problem).is_empty())
            return;
        auto& shared = base::control_of_block();
        if (target::thread_id() == 0) {
            base::prefetch_maps(args);
            shared.initialize();
        }
        const arch::nvidia::tensor_memory_scope<target, Tile::tensor_columns> memory(&shared.tensor_address);
        const int group = warpgroup<target>::number();
        if (group == 0) {
            arch::nvidia::decrease_registers<Tile::registers.producer>();
            const int wave = target::uniform(target::wave_id());
            if (wave == 0)
                base::produce(args, shared, part(args.problem));
            else if (wave == 1 && arch::nvidia::elect_one())
                multiply_attention_tiles<Tile>(shared, part(args.problem).tile, memory.address());
            target::wave_barrier();
        } else {
            arch::nvidia::increase_registers<Tile::registers.consumer>();
            consume(args.problem, shared, part(args.problem), group - 1, memory.address());
        }
    }

private:
    using typename base::control;
    using typename base::part;
    using typename base::tiles_of_keys;
    using typename base::work;
    using consumer = typename Tile::consumer;
    using chain = typename consumer::chain;
    using softmax = typename consumer::softmax;

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
        // Hidden: ptxas would hold `number` across the loop to compute it again, and spill it on sm_103a.
        index_t hidden = static_cast<index_t>(own + Tile::score_column(number));
        target::make_opaque(hidden);
        const std::uint32_t own_scores = static_cast<std::uint32_t>(hidden);
        const std::uint32_t own_weights = own + Tile::weight_column(number);
        const std::uint32_t own_output = own + Tile::output_column(number);
        const score_changes<consumer, problem_type, Variant> change(args, sequence, at);
        softmax soft;
        soft.clear();
        const bool any = tile.inside();
        int parity = 0;
        TEGULA_ROLLED
        for (bool first = true; tile.inside(); tile.advance(), first = false, parity ^= 1) {
            mbarrier_wait(&shared.scores[number], parity);
            tensor_fence_after();
            typename chain::score_tensor scores; // [128, keys]
            chain::template load<Tile::keys>(scores, own_scores);
            arrive_after_tensor_access<group>(&shared.read[number]);
            const auto wait_for_output = [&] { // of the weights before
                if (first)
                    return;
                mbarrier_wait(&shared.output[number], parity ^ 1);
                tensor_fence_after();
            };
            change.apply(scores, tile.key());
            // Beside a bias, ptxas spills eight registers for pairs of 128 weights.
            constexpr bool may_pack = Variant::bias != attention_bias::tensor;
            soft.template update_with<may_pack>(scores, change.scale(), [&](const auto& factor) {
                wait_for_output();
                if (!first)
                    chain::update(own_output, [&](auto& x) { transform(x, [&](float y) { return y * factor[0]; }); });
            });
            change.drop(scores, tile.key());
            wait_for_output();
            chain::store_operand(scores, own_weights);
            tensor_wait_stores();
            arrive_after_tensor_access<group>(&shared.weights[number]);
        }
        if (any) {
            mbarrier_wait(&shared.output[number], parity ^ 1);
            tensor_fence_after();
        }
        store_tensor_memory_rows<Tile, O>(args, sequence, at, own_output, any, soft.end(change.sinks(), change.scale()),
                                          target::shared_memory() + number * Tile::query_operand::bytes);
    }
};

} // namespace tegula
