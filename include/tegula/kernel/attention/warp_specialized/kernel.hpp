#pragma once

#include <tegula/kernel/attention/score_changes.hpp>
#include <tegula/kernel/attention/tensor_copy_attention.hpp>
#include <tegula/kernel/attention/warp_specialized/operands.hpp>
#include <tegula/kernel/attention/warp_specialized/output.hpp>
#include <tegula/kernel/attention/warp_specialized/tile.hpp>

namespace tegula {

/// The forward pass of attention on sm_90a by blocks whose warpgroups have different tasks. One copies Q, K and V to
/// shared memory by tensor copies. The others, 64 queries each, multiply by wgmma and take turns at that, so that the
/// softmax of one runs under the products of the others. Within a warpgroup, the scores of a tile of keys are
/// multiplied with the values of the tile before it in flight. attention_arguments says what is computed.
///
///   Tile       a warp_specialized_attention_tile
///   O          element type of the output
///   Variant    an attention_variant with a contiguous cache, heads apart, and without block lists
///   Score      a functor like unchanged_score
///   Sequences  whether lengths of sequences may vary
template <class Tile, class O = typename Tile::element, class Variant = attention_variant<>,
          class Score = unchanged_score, attention_sequences Sequences = attention_sequences::of_one_length>
struct warp_specialized_attention : tensor_copy_attention<Tile, O, Variant, Score, Sequences>
{
    using base = tensor_copy_attention<Tile, O, Variant, Score, Sequences>;
    using typename base::arguments;
    using typename base::element;
    using typename base::problem_type;
    using typename base::target;

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        auto& shared = base::control_of_block();
        const int group = warpgroup<target>::number();
        if (target::thread_id() == 0) {
            base::prefetch_maps(args);
            shared.initialize();
        }
        target::block_barrier();
        const part all(args.problem);
        if (all.is_empty())
            return;
        if (group == 0) {
            arch::nvidia::decrease_registers<Tile::registers.producer>();
            if (target::wave_id() == 0)
                base::produce(args, shared, all);
        } else {
            arch::nvidia::increase_registers<Tile::registers.consumer>();
            consume(args.problem, shared, all.sequence, all.at, all.tile, group - 1);
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
    using operands =
        consumer_operands<Tile, base::any_length || Variant::mask == attention_mask::boolean || Variant::dropout>;
    using release = stage_release<Tile::stages, false>;

    /// One consumer warpgroup: the rows of its 64 queries.
    static TEGULA_INLINE void consume(const problem_type& args, control& shared, const attention_sequence& sequence,
                                      work at, tiles_of_keys tile, int number)
    {
        using namespace arch::nvidia;
        at.row += 64 * number;
        std::byte* const memory = target::shared_memory();
        std::byte* const own = memory + number * Tile::query_operand::bytes;
        const operands of(memory, own);
        const release key_release{shared.keys, target::lane_id() == 0, -1};
        const release value_release{shared.values, target::lane_id() == 0, -1};
        const score_changes<consumer, problem_type, Variant> change(args, sequence, at);

        float scale = change.scale();
        if constexpr (operands::many) { // the key's number and the scale stay in uniform registers, too
            tile.template make_uniform<typename Tile::target>();
            pin_registers(scale);
        }

        typename softmax::accumulators output; // [64, value_dim]
        static_for<chain::output_atom::c_count>([&](auto r) { output.tiles[0][r] = 0; });
        softmax soft;
        soft.clear();
        const warpgroup_turns<Tile::consumers, 2 + Tile::consumers> turns(number); // numbered after block_barrier's
        if (tile.inside()) {
            mbarrier_wait(&shared.queries[number], 0);
            typename chain::score_tensor scores; // [64, keys]
            ring_position ring, value_ring;      // one each: ptxas keeps the parity of both in a vector register
            shared.keys.wait(ring);
            wgmma_fence(scores.registers);
            chain::multiply(scores, of.first_queries, of.keys(ring.stage));
            wgmma_commit();
            wgmma_wait<0>(scores.registers);
            key_release(ring.stage);
            change.apply(scores, tile.key());
            soft.update_with(scores, scale, [](const auto&) {}); // the output is 0
            change.drop(scores, tile.key());
            auto weights = chain::operand_of(scores);
            shared.values.wait(value_ring);
            int before = value_ring.stage;
            TEGULA_ROLLED
            for (tile.advance(); tile.inside(); tile.advance()) {
                ring.advance();
                shared.keys.wait(ring);
                turns.take();
                wgmma_fence(scores.registers, output.tiles, weights);
                chain::multiply(scores, of.queries(ring.stage), of.keys(ring.stage));
                wgmma_commit();
                chain::accumulate(output, weights, of.values(before));
                wgmma_commit();
                turns.pass();
                wgmma_wait<1>(scores.registers);
                key_release(ring.stage);
                change.apply(scores, tile.key());
                typename softmax::rows factor;
                bool grown = false;
                soft.update_with(scores, scale, [&](const auto& by) { grown = true, factor = by; });
                change.drop(scores, tile.key());
                // A loop: ptxas moves exponentials past a wait for products, but not past this one.
                pin_registers(scores.registers);
                pin_registers(soft.sum.registers);
                value_ring.advance();
                shared.values.wait(value_ring);
                wgmma_wait<0>(output.tiles, weights);
                value_release(before);
                if (grown)
                    softmax::rescale(output, factor);
                weights = chain::operand_of(scores);
                before = value_ring.stage;
            }
            wgmma_fence(output.tiles, weights);
            chain::accumulate(output, weights, of.values(before));
            wgmma_commit();
            wgmma_wait<0>(output.tiles, weights);
        }
        turns.end();
        const auto ends = soft.finish(output, change.sinks(), change.scale());
        store_consumer_rows<Tile, O>(args, sequence, at, output, ends.lse(), own);
    }
};

} // namespace tegula
