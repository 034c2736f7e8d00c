#pragma once

#include <tegula/block/product_streams.hpp>
#include <tegula/kernel/attention/tile.hpp>

namespace tegula {

/// The products of a round of attention_block on CDNA, whose operands are read some instructions ahead. Weights of a slice of
/// keys are made beside the product before it. If values come by direct loads with the keys, the first are read beside the first
/// product.
///
///   Pair  the key_value_tiles
template <class Tile, class Pair>
struct woven_products
{
    using target = typename Tile::target;
    using score_mma = typename Tile::score_mma;
    using output_mma = typename Tile::output_mma;
    using chain = typename Tile::chain;
    using softmax = typename Tile::softmax;
    static_assert(softmax::pairs);

private:
    static constexpr int key_parts = score_mma::iterations_n; ///< of a slice, an instruction's each
    static constexpr int key_steps = Tile::slices * key_parts;
    static constexpr int value_parts = output_mma::iterations_n;
    static constexpr int value_steps = chain::slices * value_parts;
    static constexpr int ahead = 4; ///< instructions that reads are ahead
    static constexpr int values_ahead = min(ahead, value_steps);
    static constexpr int pairs = chain::score_distribution::num_registers / 2; ///< of a lane's scores
    static constexpr int pairs_of_slice = pairs / chain::slices;
    static_assert(key_steps >= 2 && pairs % chain::slices == 0);

    /// Steps beside which pairs of the slices after the first are weighed: all but those of the last slice.
    static constexpr int weighing_steps = value_steps - value_parts;
    static consteval int pairs_weighed_before(int step)
    {
        return pairs_of_slice + step * (pairs - pairs_of_slice) / weighing_steps;
    }

    static TEGULA_INLINE auto value_reader(const Pair& pair)
    {
        return part_reader<output_mma, value_parts>(pair.values().stream());
    }
    using reader = decltype(value_reader(std::declval<const Pair&>()));

public:
    /// The operands of the first instructions of the second product. If values are there early, they are read before the
    /// scores are done.
    using first_values = array<decltype(std::declval<const reader&>()(constant<0>{})), values_ahead>;

    /// products += Q K^T. Reads the first values.
    ///
    ///   q  a query_slices of Tile
    template <class Queries>
    static TEGULA_INLINE void multiply_keys(typename score_mma::accumulators& products, first_values& first,
                                            const Queries& q, const Pair& pair)
    {
        const auto values = value_reader(pair);
        run_product_streams<target>(
            make_product_stream<key_steps, ahead>(part_reader<score_mma, key_parts>(pair.keys().stream()),
                                                  [&](auto step, const auto& part) {
                                                      multiply_part<score_mma, decltype(step)::value, key_parts>(
                                                          products, q.template slice<step / key_parts>(), part);
                                                  }),
            make_task_stream<key_steps - 2>([&] { read_first(first, values); }));
    }

    /// Turns the scores into weights, adds these to the sums of `soft`, and adds their product with V to the output.
    ///
    ///   offset  what soft.settle() gave for the scores and the scale
    ///   finish  finish(weights) is called for each slice of the weights as operands
    template <class Finish>
    static TEGULA_INLINE void multiply_values(typename softmax::accumulators& output, softmax& soft,
                                              typename chain::score_tensor& scores,
                                              const typename softmax::rows& offset, float scale, first_values& first,
                                              const Pair& pair, const Finish& finish)
    {
        if constexpr (!Pair::values_early)
            read_first(first, value_reader(pair));
        const float to_exponent = scale * log2_of_e;
        typename softmax::weight_sums sums;
        const auto weigh = [&](auto n) {
            softmax::template weigh_pair<n>(scores, offset, to_exponent);
            sums.template add<n>(scores);
        };
        static_for<pairs_of_slice>(weigh);
        typename output_mma::a_slice weights;
        run_product_streams<target>(
            make_product_stream<value_steps, values_ahead>(
                value_reader(pair),
                [&](auto step, const auto& part) {
                    // The compiler makes the operands of the slice alone.
                    if constexpr (step % value_parts == 0) {
                        weights =
                            chain::template slice_of<step / value_parts>(chain::template operand_of<true>(scores));
                        finish(weights);
                    }
                    multiply_part<output_mma, decltype(step)::value, value_parts>(output, weights, part);
                },
                first),
            make_tasks_stream<weighing_steps>([&](auto step) {
                constexpr int from = pairs_weighed_before(decltype(step)::value);
                constexpr int past = pairs_weighed_before(decltype(step)::value + 1);
                if constexpr (Pair::direct) // LLVM would weigh before the product, whose time is short there
                    target::scheduling_barrier();
                static_for<past - from>([&](auto n) { weigh(constant<from + decltype(n)::value>{}); });
            }));
        soft.add(sums);
    }

private:
    static TEGULA_INLINE void read_first(first_values& first, const reader& read)
    {
        static_for<values_ahead>([&](auto i) { first[i] = read(i); });
    }
};

} // namespace tegula
