#pragma once

#include <tegula/block/value_transposer.hpp>
#include <tegula/kernel/attention/input_scales.hpp>
#include <tegula/kernel/attention/score_changes.hpp>
#include <tegula/kernel/attention/tensor_copy_attention.hpp>
#include <tegula/kernel/attention/warp_specialized/operands.hpp>
#include <tegula/kernel/attention/warp_specialized/output.hpp>
#include <tegula/kernel/attention/warp_specialized/tile.hpp>

namespace tegula {

namespace detail {

/// Whether scores are hidden by a band at most.
consteval bool keeps_scores(const attention_changes& x)
{
    return (x.mask == attention_mask::none || x.mask == attention_mask::band) && x.bias == attention_bias::none &&
           !x.dropout && !x.functor;
}

} // namespace detail

/// The forward pass of attention on sm_90a by blocks whose warpgroups have different tasks. One copies Q, K and V to
/// shared memory by tensor copies. The others, 64 queries each, multiply by wgmma and take turns at that, so that the
/// softmax of one runs under the products of the others. Within a warpgroup, the scores of a tile of keys are
/// multiplied with the values of the tile before it in flight. attention_arguments says what is computed.
///
/// wgmma takes 8-bit V with contiguous keys alone: two more warps of the copying warpgroup transpose its tiles.
///
/// Blocks of a cluster have adjacent tiles of queries of one head. Each copies a share of K and V to all of them.
///
///   Tile       a warp_specialized_attention_tile
///   O          element type of the output
///   Variant    an attention_variant with heads apart, without block lists, and with a contiguous or a paged cache
///   Score      a functor like unchanged_score
///   Sequences  whether lengths of sequences may vary; over pages they may
template <class Tile, class O = typename Tile::element, class Variant = attention_variant<>,
          class Score = unchanged_score, attention_sequences Sequences = attention_sequences::of_one_length>
struct warp_specialized_attention : tensor_copy_attention<Tile, O, Variant, Score, Sequences>
{
    using base = tensor_copy_attention<Tile, O, Variant, Score, Sequences>;
    using typename base::arguments;
    using typename base::element;
    using typename base::problem_type;
    using typename base::target;

    /// Whether a block goes through several tiles of queries: it copies the next ones under the end of one. More numbers
    /// than those of plain scores leave no registers for that.
    static constexpr bool is_persistent =
        !base::any_length && detail::keeps_scores(changes_of<Variant, Score>()) && consumer_operands<Tile, false>::few;
    /// Below a band a block takes two tiles of a head at a time: the first and the last, the second and the last but one.
    /// Together they see about as many keys as any other two.
    static constexpr bool takes_pairs = is_persistent && Variant::mask != attention_mask::none;
    static constexpr int cluster_blocks = Tile::cluster_blocks;
    static_assert(
        cluster_blocks == 1 || (is_persistent && !takes_pairs),
        "tegula: blocks of a cluster see the same keys, and nothing changes their scores; take a tile without a "
        "cluster for masks, biases, functors, dropout and lengths, or past 128 columns");

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        const long_index_t all = pieces(args.problem, args.resident > 0);
        return args.resident > 0 && args.resident < all ? args.resident : all;
    }

    /// Encodes the maps and chooses the blocks. Errors: those of make_maps and of the device.
    template <class Launcher>
    static status prepare(arguments& args, Launcher& device)
    {
        if constexpr (is_persistent) {
            int multiprocessors = 0;
            if (status s = device.template count_multiprocessors<warp_specialized_attention>(multiprocessors); !s)
                return s;
            // Where a sixteenth of the blocks or more would be idle in the last round of pairs, single tiles fill it better.
            const long_index_t all = pieces(args.problem, true);
            const long_index_t rounds = ceil_div(all, long_index_t{multiprocessors});
            const int clusters = max(multiprocessors / cluster_blocks, 1);
            args.resident = takes_pairs && all * 16 < rounds * multiprocessors * 15 ? 0 : clusters * cluster_blocks;
        }
        return base::prepare(args, device);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        auto& shared = base::control_of_block();
        const int group = warpgroup<target>::number();
        if (target::thread_id() == 0) {
            base::prefetch_maps(args);
            shared.initialize();
        }
        if constexpr (cluster_blocks > 1) { // a peer's copies find the mbarriers
            arch::nvidia::cluster_arrive_relaxed();
            arch::nvidia::cluster_wait();
        } else {
            target::block_barrier();
        }
        if constexpr (is_persistent) {
            run_roles(
                group, [&] { produce_all(args, shared); }, [&] { make_all(args, shared); },
                [&] { consume_all(args, shared, group - 1); });
        } else {
            const part all(args.problem);
            if (all.is_empty())
                return;
            run_roles(
                group, [&] { base::produce(args, shared, base::again(args, all)); },
                [&] {
                    ring_position stage;
                    make_values(shared, base::again(args, all), stage);
                },
                [&] {
                    const turns_type turns(group - 1);
                    ring_position ring, value_ring;
                    int parity = 0;
                    consume(args.problem, shared, base::again(args, all), group - 1, operands_of(group - 1), turns,
                            ring, value_ring, parity);
                    turns.end();
                });
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
    using release = stage_release<Tile::stages, (cluster_blocks > 1)>;

    using turns_type = warpgroup_turns<Tile::consumers, 2 + Tile::consumers>; // numbered after block_barrier's

    /// The number of parts that blocks take one at a time: tiles of queries, or pairs of them.
    static constexpr TEGULA_HOST_DEVICE long_index_t pieces(const problem_type& args, bool resident)
    {
        return takes_pairs && resident ? work::work_items(args) * ceil_div(base::tiles(args), 2)
                                       : base::all_tiles(args);
    }

    /// The first wave of the first warpgroup produces, its last ones make values if any are made, and the other warpgroups
    /// consume.
    template <class Produce, class Make, class Consume>
    static TEGULA_INLINE void run_roles(int group, const Produce& produce, const Make& make, const Consume& consume)
    {
        if (group == 0) {
            arch::nvidia::decrease_registers<Tile::registers.producer>();
            if (target::wave_id() == 0)
                produce();
            else if (Tile::makes_values && target::wave_id() >= 4 - Tile::making_warps)
                make();
        } else {
            arch::nvidia::increase_registers<Tile::registers.consumer>();
            consume();
        }
    }

    static TEGULA_INLINE operands operands_of(int number)
    {
        std::byte* const memory = target::shared_memory();
        return operands(memory, memory + number * Tile::query_operand::bytes);
    }

    /// Calls run(part) of each tile of queries of the block.
    template <class Run>
    static TEGULA_INLINE void for_each_part(const arguments& args, const Run& run)
    {
        const bool resident = args.resident > 0;
        const index_t of_head = base::tiles(args.problem), pairs = ceil_div(of_head, 2);
        index_t piece = target::block_id()[0], second = 0;
        TEGULA_ROLLED
        while (piece < pieces(args.problem, resident)) {
            // In vector registers: the loops over keys need the uniform ones.
            target::make_opaque(piece);
            target::make_opaque(second);
            index_t tile = piece;
            bool ends = true;
            if constexpr (takes_pairs)
                if (resident) {
                    const index_t item = piece / pairs, place = piece - item * pairs, partner = of_head - 1 - place;
                    tile = item * of_head + (second != 0 ? partner : place);
                    ends = second != 0 || partner == place;
                }
            run(part(args.problem, tile));
            second = ends ? 0 : 1;
            piece += ends ? static_cast<index_t>(blocks(args)) : 0;
        }
    }

    static TEGULA_INLINE void produce_all(const arguments& args, control& shared)
    {
        if (arch::nvidia::elect_one()) {
            ring_position stage;
            int parity = 1; // the first queries wait for none
            for_each_part(args, [&](const part& all) {
                base::copy(args, shared, all, stage,
                           [&](auto c) { arch::nvidia::mbarrier_wait(&shared.queries_read[c], parity); });
                if constexpr (!Tile::output_apart) // where there are no keys, too, zeros go through the queries' memory
                    if (!all.tile.inside())
                        static_for<Tile::consumers>(
                            [&](auto c) { arch::nvidia::mbarrier_wait(&shared.queries_read[c], parity); });
                if (all.tile.inside() || !Tile::output_apart)
                    parity ^= 1;
            });
            if constexpr (cluster_blocks > 1) { // peers read this block's copies, and report to it
                shared.keys.drain(stage);
                shared.values.drain(stage);
            }
        }
        target::wave_barrier();
    }

    static TEGULA_INLINE void make_all(const arguments& args, control& shared)
    {
        ring_position stage;
        for_each_part(args, [&](const part& all) { make_values(shared, all, stage); });
    }
    /// One wave's share of the values of tile after tile, from `stage` on. Those of other sequences become zeros.
    static TEGULA_INLINE void make_values(control& shared, const part& all, ring_position& stage)
    {
        if constexpr (Tile::makes_values) {
            using copied = typename Tile::copied_values;
            using made = typename Tile::value_operand;
            using transposer = value_transposer<target, copied, made, Tile::making_warps>;
            const int own = target::wave_id() - (4 - Tile::making_warps);
            const release release_copied{shared.copied, target::lane_id() == 0, -1};
            std::byte* const to = target::shared_memory() + Tile::first_value_byte;
            const std::byte* const from = target::shared_memory() + Tile::first_copied_byte;
            TEGULA_ROLLED
            for (tiles_of_keys tile = all.tile; tile.inside(); tile.advance(), stage.advance()) {
                shared.copied.wait(stage);
                shared.values.claim_made(stage);
                transposer::template make<base::any_length>(to + stage.stage * made::bytes,
                                                            from + stage.stage * copied::bytes, own,
                                                            all.sequence.keys - tile.key());
                shared.values.template publish_made<target>(stage);
                release_copied(stage.stage); // behind publish_made's fence: the next copy must not pass the reads
            }
        }
    }

    /// One consumer warpgroup: the rows of its 64 queries of each tile.
    static TEGULA_INLINE void consume_all(const arguments& args, control& shared, int number)
    {
        const turns_type turns(number);
        ring_position ring, value_ring; // one each: ptxas keeps the parity of both in a vector register
        int parity = 0;
        for_each_part(args, [&](const part& all) {
            index_t hidden = number;
            target::make_opaque(hidden);
            const int own = target::uniform(hidden);
            consume(args.problem, shared, all, own, operands_of(own), turns, ring, value_ring, parity);
        });
        turns.end();
    }

    /// The rows of a tile of queries. The stages of the rings and the parity go on from tile to tile.
    static TEGULA_INLINE void consume(const problem_type& args, control& shared, const part& all, int number,
                                      const operands& of, const turns_type& turns, ring_position& ring,
                                      ring_position& value_ring, int& parity)
    {
        using namespace arch::nvidia;
        const attention_sequence& sequence = all.sequence;
        work at = all.at;
        tiles_of_keys tile = all.tile;
        at.row += 64 * number;
        const int lane = target::lane_id();
        const release key_release{shared.keys, lane < cluster_blocks, lane % cluster_blocks};
        const release value_release{shared.values, lane < cluster_blocks, lane % cluster_blocks};
        const score_changes<consumer, problem_type, Variant> change(args, sequence, at);
        const input_scales<consumer, problem_type, work> scales(args, at);

        // One number for all scores is the softmax's.
        const float of_all =
            score_changes<consumer, problem_type, Variant>::changes_scores ? 0 : scales.of_all_scores();
        float scale = of_all > 0 ? of_all : change.scale(); // 1 if scores are multiplied by the scales
        if constexpr (operands::many) { // the key's number and the scale stay in uniform registers, too
            tile.template make_uniform<typename Tile::target>();
            pin_registers(scale);
        }

        typename softmax::accumulators output; // [64, value_dim]
        static_for<chain::output_atom::c_count>([&](auto r) { output.tiles[0][r] = 0; });
        typename chain::tile_accumulators of_tile;
        auto& sums = chain::sums_of(output, of_tile);
        softmax soft;
        soft.clear();
        const bool any_key = tile.inside();
        if (any_key) {
            mbarrier_wait(&shared.queries[number], parity);
            typename chain::score_tensor scores; // [64, keys]
            shared.keys.wait(ring);
            wgmma_fence(scores.registers);
            chain::multiply(scores, of.first_queries, of.keys(ring.stage));
            wgmma_commit();
            wgmma_wait<0>(scores.registers);
            key_release(ring.stage);
            if (scale == 1)
                scales.multiply(scores, tile.key());
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
                wgmma_fence(scores.registers, sums.tiles, weights);
                chain::multiply(scores, of.queries(ring.stage), of.keys(ring.stage));
                wgmma_commit();
                chain::accumulate(sums, weights, of.values(before));
                wgmma_commit();
                turns.pass();
                wgmma_wait<1>(scores.registers);
                key_release(ring.stage);
                if (scale == 1)
                    scales.multiply(scores, tile.key());
                change.apply(scores, tile.key());
                typename softmax::rows factor;
                bool grown = false;
                soft.update_with(scores, scale, [&](const auto& by) { grown = true, factor = by; });
                change.drop(scores, tile.key());
                // A loop: ptxas moves exponentials past a wait for products, but not past this one.
                pin_registers(scores.registers);
                pin_registers(soft.sum.registers);
                const float value_scale = scales.of_values(tile.key() - Tile::keys);
                value_ring.advance();
                shared.values.wait(value_ring);
                wgmma_wait<0>(sums.tiles, weights);
                finish_product(output, sums, weights, of.values(before), value_scale, [&] { value_release(before); });
                if (grown)
                    softmax::rescale(output, factor);
                weights = chain::operand_of(scores);
                before = value_ring.stage;
            }
            if constexpr (is_persistent && Tile::output_apart)
                release_queries(shared, number);
            wgmma_fence(sums.tiles, weights);
            chain::accumulate(sums, weights, of.values(before));
            wgmma_commit();
            wgmma_wait<0>(sums.tiles, weights);
            finish_product(output, sums, weights, of.values(before), scales.of_values(tile.key() - Tile::keys), [&] {
                if constexpr (is_persistent)
                    value_release(before);
            });
            if constexpr (is_persistent) {
                ring.advance();
                value_ring.advance();
                parity ^= 1;
            }
        }
        const auto ends = soft.finish(output, change.sinks(), scale);
        constexpr index_t first = Tile::output_apart ? Tile::first_output_byte : 0;
        // Lengths that are read again take no registers in the loop.
        const attention_sequence rows = base::any_length ? attention_sequence::at(args, at.batch) : sequence;
        store_consumer_rows<Tile, O>(args, rows, at, output, ends.lse(),
                                     target::shared_memory() + first + number * Tile::query_operand::bytes);
        if constexpr (is_persistent && !Tile::output_apart)
            release_queries(shared, number);
    }

    /// Adds the sums of a product of weights and values to the output, if they are apart. The product with the first slice
    /// of the columns has ended; those with later ones follow.
    ///
    ///   release()  the values are read no more
    template <class Sums, class Release>
    static TEGULA_INLINE void finish_product(typename softmax::accumulators& output, Sums& sums,
                                             typename chain::operand& weights, std::uint64_t values, float scale,
                                             const Release& release)
    {
        using namespace arch::nvidia;
        static_for<chain::sum_slices>([&](auto slice) TEGULA_INLINE_LAMBDA {
            if constexpr (slice > 0) {
                wgmma_fence(sums.tiles, weights);
                chain::template accumulate<slice>(sums, weights, values);
                wgmma_commit();
                wgmma_wait<0>(sums.tiles, weights);
            }
            if constexpr (slice + 1 == chain::sum_slices)
                release();
            chain::template promote<slice>(output, sums, scale);
        });
    }

    /// A wave's word that it reads the queries, and what lies in their place, no more.
    static TEGULA_INLINE void release_queries(control& shared, int number)
    {
        if constexpr (!Tile::output_apart)
            arch::nvidia::fence_proxy_async(); // lanes wrote there
        target::wave_barrier();
        if (target::lane_id() == 0)
            arch::nvidia::mbarrier_arrive(&shared.queries_read[number]);
    }
};

} // namespace tegula
