#pragma once

#include <tegula/kernel/attention/score_changes.hpp>
#include <tegula/kernel/attention/warp_specialized/latent_tile.hpp>
#include <tegula/kernel/attention/warp_specialized/output.hpp>

namespace tegula {

/// One consumer of warp_specialized_latent_attention. It computes the scores of the tiles of keys `number`, `number` + 2
/// ... and the columns of O from `number` * 256 on.
///
///   Part  what the block computes: an attention_part `block`, its `sequence`, its first `tile` of keys and their number
///         steps(); made of Arguments and a block's number
///
/// Matrices are variables of run(), not members: nvcc keeps an object's in local memory if it does not inline a call.
template <class Tile, class Variant, class Part, class Arguments>
class latent_consumer
{
public:
    using target = typename Tile::target;
    using element = typename Tile::element;
    using control = typename Tile::control;

    TEGULA_INLINE latent_consumer(const Arguments& args, control& shared, const Part& all, int number)
        : arguments_(args), shared_(shared), all_(all), number_(number),
          change_(all.block.args, all.sequence, all.block.at), scale_(change_.scale())
    {
        arch::nvidia::pin_registers(scale_); // not in a uniform register: those are for descriptors
    }

    /// The whole work of the consumer; its warpgroup calls it.
    TEGULA_INLINE void run() const
    {
        using namespace arch::nvidia;
        load_queries();
        fence_proxy_async();
        named_barrier(both_barrier, both_threads);
        accumulators output; // [64, half of value_dim]
        static_for<chain::output_atom::c_count>([&](auto r) { output.tiles[0][r] = 0; });
        softmax soft;
        soft.clear();
        if (number_ == 0)
            multiply<0>(soft, output);
        else
            multiply<1>(soft, output);
        finish(soft, output);
    }

private:
    using consumer = typename Tile::consumer;
    using group = typename consumer::target;
    using chain = typename consumer::chain;
    using accumulators = typename consumer::softmax::accumulators;
    using score_tensor = typename chain::score_tensor;
    using operand = typename chain::operand;
    using softmax = typename consumer::softmax;
    using rows = typename softmax::rows;
    using attention = std::remove_cvref_t<decltype(std::declval<const Part&>().block.args)>;
    static constexpr index_t key_bytes = Tile::key_operand::bytes;
    static constexpr int both_threads = 128 * Tile::consumers;
    static constexpr int first_barrier = 2 + Tile::consumers; ///< comes after those of the warpgroups
    static constexpr int both_barrier = first_barrier + Tile::consumers;

    static TEGULA_INLINE element* element_at(index_t byte)
    {
        return reinterpret_cast<element*>(target::shared_memory() + byte);
    }
    /// This lane's numbers of what a consumer tells the other.
    static TEGULA_INLINE float* numbers_of(int number)
    {
        return reinterpret_cast<float*>(target::shared_memory() + Tile::numbers_at + number * Tile::number_bytes) +
               group::wave_id() * 32 + group::lane_id();
    }
    static TEGULA_INLINE void tell(int number, const rows& x)
    {
        static_for<rows::num_registers>(
            [&](auto r) { target::store_shared(numbers_of(number) + r * 128, static_cast<float>(x[r])); });
    }
    static TEGULA_INLINE rows told_by(int number)
    {
        rows x;
        static_for<rows::num_registers>([&](auto r) { x[r] = target::load_shared(numbers_of(number) + r * 128); });
        return x;
    }
    TEGULA_INLINE void release(int stage, int part) const
    {
        if (group::lane_id() == 0)
            arch::nvidia::mbarrier_arrive(&shared_.parts[part].empty[stage]);
    }
    /// The descriptors of a consumer's first operands.
    template <int Number>
    struct operands
    {
        std::uint64_t queries = Tile::query_operand::descriptor(element_at(0));
        std::uint64_t keys = Tile::key_operand::descriptor(element_at(Tile::first_key_byte + Number * key_bytes));
        std::uint64_t values = Tile::value_operand::descriptor(
            element_at(Tile::first_key_byte + Tile::template key_part<Number>::first_byte));
        std::uint64_t weights = Tile::weight_operand::descriptor(element_at(Tile::weights_at));

        TEGULA_INLINE std::uint64_t values_of(int stage) const
        {
            return Tile::value_operand::moved(values, stage * (key_bytes / 16));
        }
    };
    /// A 0 that the compiler does not know (consumer_operands), of a number below 2^30.
    static TEGULA_INLINE std::uint32_t unknown_zero(index_t step) { return static_cast<std::uint32_t>(step >> 30); }

    /// Loads every other panel of the queries.
    TEGULA_INLINE void load_queries() const
    {
        using panel_rows = coalesced<group, element, 64, 64, 4>;
        constexpr index_t panels = Tile::query_operand::panels, most = ceil_div(panels, index_t{2});
        constexpr index_t panel_elements = Tile::query_operand::elements / panels;
        const auto& [args, at, share, o, lse, shift] = all_.block;
        const auto view = make_query_view<group>(args.q, all_.sequence, at, args.head_dim, "Q");
        array<distributed_tensor<element, panel_rows>, static_cast<int>(most)> values;
        const index_t row = at.row;
        static_for<most>([&](auto i) TEGULA_INLINE_LAMBDA {
            values[i] = load(make_tile_window<panel_rows>(view, {row, (2 * i + number_) * index_t{64}}));
        });
        using shared_view = tensor_view<group, address_space::shared, element, shared_descriptor<query_panel>>;
        static_for<most>([&](auto i) TEGULA_INLINE_LAMBDA {
            const index_t panel = 2 * i + number_;
            if (panel < panels)
                store<bounds::unchecked>(
                    make_tile_window<panel_rows>(shared_view{element_at(0) + panel * panel_elements, {}, "Q"}, {0, 0}),
                    values[i]);
        });
    }
    struct query_panel
    {
        static constexpr tma_swizzled_layout_value layout = wgmma_operand<element, 64, 64>::layout;
    };

    /// The loop over the keys.
    template <int Number>
    TEGULA_INLINE void multiply(softmax& soft, accumulators& output) const
    {
        using namespace arch::nvidia;
        const operands<Number> of;
        score_tensor scores; // [64, keys]
        int parity = 0;      // of the consumer's next tile
        const index_t steps = all_.steps();
        if (Number < steps)
            multiply_scores(of, scores, 0, parity);
        TEGULA_ROLLED
        for (index_t step = 0; step < steps; step += 2, parity ^= 1) {
            const bool both = step + 1 < steps; // consumers have a tile
            if constexpr (Number == 0) {
                auto weights = weigh<Number>(scores, soft, output, step, [] {});
                multiply_own(of, output, weights);
                if (both) {
                    receive<Number>(soft, output);
                    multiply_other(of, output, step);
                    wgmma_wait<0>(output.tiles);
                    release(1, Number);
                    if (step + 2 < steps)
                        multiply_scores(of, scores, step, parity ^ 1);
                }
            } else {
                receive<Number>(soft, output);
                multiply_other(of, output, step);
                const auto wait_output = [&] {
                    wgmma_wait<0>(output.tiles);
                    release(0, Number);
                };
                if (both) {
                    auto weights = weigh<Number>(scores, soft, output, step + 1, wait_output);
                    multiply_own(of, output, weights);
                    if (step + 3 < steps)
                        multiply_scores(of, scores, step, parity ^ 1);
                } else {
                    wait_output();
                }
            }
        }
    }

    /// Computes the scores of the consumer's next tile, as its parts come.
    template <int Number>
    TEGULA_INLINE void multiply_scores(const operands<Number>& of, score_tensor& scores, index_t step, int parity) const
    {
        using namespace arch::nvidia;
        const std::uint64_t q = Tile::query_operand::moved(of.queries, unknown_zero(step));
        const std::uint64_t k = Tile::key_operand::moved(of.keys, unknown_zero(step));
        const auto multiply = [&](auto p, auto accumulates) TEGULA_INLINE_LAMBDA {
            using columns = typename Tile::template key_part<p>;
            shared_.parts[p].wait({Number, parity});
            wgmma_fence(scores.registers);
            chain::template multiply_columns<columns::first, columns::columns, accumulates>(scores, q, k);
        };
        multiply(constant<Tile::consumers>{}, constant<false>{});
        static_for<Tile::consumers>([&](auto p) { multiply(p, constant<true>{}); });
        wgmma_commit();
        wgmma_wait<0>(scores.registers);
        release(Number, Tile::consumers);
    }

    /// Turns the scores of tile `step`, the consumer's, into weights, and tells the other.
    ///
    ///   wait_output()  waits for products that go on under the softmax
    template <int Number, class WaitOutput>
    TEGULA_INLINE operand weigh(score_tensor& scores, softmax& soft, accumulators& output, index_t step,
                                const WaitOutput& wait_output) const
    {
        using namespace arch::nvidia;
        change_.apply(scores, all_.tile.key() + step * Tile::keys);
        rows factor;
        bool grown = false;
        soft.update_with(scores, scale_, [&](const auto& by) { grown = true, factor = by; });
        // ptxas moves exponentials past a wait for products, but not past this.
        pin_registers(scores.registers);
        pin_registers(soft.sum.registers);
        wait_output();
        if (grown)
            softmax::rescale(output, factor);
        const operand weights = chain::operand_of(scores);
        group::block_barrier(); // no warp's product reads the other's weights any more
        using staged = typename consumer::staged_weights;
        using tile = distributed_tensor<element, typename staged::distribution>;
        staged::write(element_at(Tile::weights_at), __builtin_bit_cast(tile, weights));
        tell(Number, soft.reference);
        fence_proxy_async();
        named_barrier_arrive(first_barrier + Number, both_threads);
        return weights;
    }
    /// Waits for the other's weights, and rescales the output to its references.
    template <int Number>
    TEGULA_INLINE void receive(softmax& soft, accumulators& output) const
    {
        arch::nvidia::named_barrier(first_barrier + 1 - Number, both_threads);
        soft.adopt(told_by(1 - Number), scale_, [&](const rows& factor) { softmax::rescale(output, factor); });
    }

    /// Multiplies the consumer's weights by its columns of the values, and waits.
    template <int Number>
    TEGULA_INLINE void multiply_own(const operands<Number>& of, accumulators& output, operand& weights) const
    {
        using namespace arch::nvidia;
        wgmma_fence(output.tiles, weights);
        chain::accumulate(output, weights, of.values_of(Number));
        wgmma_commit();
        wgmma_wait<0>(output.tiles, weights);
        release(Number, Number);
    }
    /// Starts to multiply the other's weights.
    template <int Number>
    TEGULA_INLINE void multiply_other(const operands<Number>& of, accumulators& output, index_t step) const
    {
        using namespace arch::nvidia;
        wgmma_fence(output.tiles);
        chain::template accumulate_shared<typename Tile::weight_operand>(
            output, Tile::weight_operand::moved(of.weights, unknown_zero(step)), of.values_of(1 - Number));
        wgmma_commit();
    }

    /// Adds up the sums of both consumers and stores the rows.
    TEGULA_INLINE void finish(softmax& soft, accumulators& output) const
    {
        using namespace arch::nvidia;
        named_barrier(both_barrier, both_threads); // no product reads shared memory, and all numbers are read
        tell(number_, soft.sum);
        named_barrier(both_barrier, both_threads);
        const rows others = told_by(1 - number_);
        static_for<rows::num_registers>([&](auto r) { soft.sum[r] += others[r]; });
        const auto ends = soft.finish(output, change_.no_sinks(), scale_);

        // The part is computed again: its many numbers need no registers during the loop.
        index_t block_number = target::block_id()[0];
        target::make_opaque(block_number);
        const Part part(arguments_, block_number);
        const auto& [args, at, share, o, lse, shift] = part.block;
        const attention_sequence& s = part.sequence;
        constexpr index_t bytes = Tile::query_operand::bytes / Tile::consumers, columns = Tile::value_operand::mn;
        store_warpgroup_rows<group, chain, float, bytes>(
            make_query_view<group>(o, s, at, args.value_dim, "O of a share"), at.row, output, 1.0f,
            target::shared_memory() + number_ * bytes, number_ * columns);
        if (number_ == 0) {
            store_row_numbers<group>(s, at, lse, ends.logarithm, "lse of a share");
            store_row_numbers<group>(s, at, shift, ends.shift, "shift of a share");
        }
    }

    const Arguments& arguments_;
    control& shared_;
    const Part& all_;
    int number_;
    score_changes<consumer, attention, Variant> change_;
    float scale_;
};

} // namespace tegula
