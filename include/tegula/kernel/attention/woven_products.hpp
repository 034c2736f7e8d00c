#pragma once

#include <tegula/block/product_streams.hpp>
#include <tegula/kernel/attention/tile.hpp>

namespace tegula {

/// The two products of a round of attention_block whose keys and values come by direct loads. No tile waits in registers:
/// operands are read some instructions ahead, and weights of a slice of keys are made beside the product before it.
template <class Tile>
struct woven_products
{
    using target = typename Tile::target;
    using score_mma = typename Tile::score_mma;
    using output_mma = typename Tile::output_mma;
    using chain = typename Tile::chain;
    using softmax = typename Tile::softmax;
    static_assert(Tile::direct && softmax::pairs);

private:
    static constexpr int key_parts = score_mma::iterations_n; ///< of a slice, an instruction's each
    static constexpr int key_steps = Tile::slices * key_parts;
    static constexpr int value_parts = output_mma::iterations_n;
    static constexpr int value_steps = chain::slices * value_parts;
    static constexpr int ahead = 4;                                            ///< instructions that reads are ahead
    static constexpr int pairs = chain::score_distribution::num_registers / 2; ///< of a lane's scores
    static constexpr int pairs_of_slice = pairs / chain::slices;
    static_assert(key_steps >= 2 && value_steps >= ahead && pairs % chain::slices == 0);

    template <class Mma, int Parts, class Loader>
    static TEGULA_INLINE auto reader_of(const Loader& loader)
    {
        return [stream = loader.stream()](auto step) {
            constexpr int n = decltype(step)::value;
            return stream.template read<n / Parts* static_cast<int>(Mma::slice_k), n % Parts, Parts>();
        };
    }
    template <class Mma, int Step, int Parts, class Words>
    static TEGULA_INLINE void multiply(typename Mma::accumulators& acc, const typename Mma::a_slice& a,
                                       const Words& read)
    {
        typename Mma::template b_part<Step % Parts, Parts> b;
        b.registers = __builtin_bit_cast(decltype(b.registers), read);
        Mma::multiply(acc, a, b);
    }

public:
    /// The operands of the first instructions of the second product, which are read before the scores are done.
    using first_values = array<decltype(reader_of<output_mma, value_parts>(
                                   std::declval<const typename Tile::value_loader&>())(constant<0>{})),
                               ahead>;

    /// products += Q K^T. Reads the first values.
    ///
    ///   q     a query_slices of Tile
    ///   pair  the key_value_tiles
    template <class Queries, class Pair>
    static TEGULA_INLINE void multiply_keys(typename score_mma::accumulators& products, first_values& first,
                                            const Queries& q, const Pair& pair)
    {
        const auto read_values = reader_of<output_mma, value_parts>(pair.values());
        run_product_streams<target>(
            make_product_stream<key_steps, ahead>(reader_of<score_mma, key_parts>(pair.keys()),
                                                  [&](auto step, const auto& read) {
                                                      multiply<score_mma, decltype(step)::value, key_parts>(
                                                          products, q.template slice<step / key_parts>(), read);
                                                  }),
            make_task_stream<key_steps - 2>([&] { static_for<ahead>([&](auto i) { first[i] = read_values(i); }); }));
    }

    /// Turns the scores into weights, adds these to the sums of `soft`, and adds their product with V to the output.
    ///
    ///   offset  what soft.settle() gave for the scores and the scale
    template <class Pair>
    static TEGULA_INLINE void
    multiply_values(typename softmax::accumulators& output, softmax& soft, typename chain::score_tensor& scores,
                    const typename softmax::rows& offset, float scale, const first_values& first, const Pair& pair)
    {
        const float to_exponent = scale * log2_of_e;
        typename softmax::weight_sums sums;
        const auto weigh = [&](auto n) {
            softmax::template weigh_pair<n>(scores, offset, to_exponent);
            sums.template add<n>(scores);
        };
        static_for<pairs_of_slice>(weigh);
        typename output_mma::a_slice weights;
        constexpr int steps = value_steps - value_parts, rest = pairs - pairs_of_slice;
        run_product_streams<target>(
            make_product_stream<value_steps, ahead>(
                reader_of<output_mma, value_parts>(pair.values()),
                [&](auto step, const auto& read) {
                    // The compiler makes the operands of the slice alone.
                    if constexpr (step % value_parts == 0)
                        weights =
                            chain::template slice_of<step / value_parts>(chain::template operand_of<true>(scores));
                    multiply<output_mma, decltype(step)::value, value_parts>(output, weights, read);
                },
                first),
            make_tasks_stream<steps>([&](auto step) {
                constexpr int i = decltype(step)::value, past = (i + 1) * rest / steps;
                static_for<past - i * rest / steps>(
                    [&](auto n) { weigh(constant<pairs_of_slice + i * rest / steps + decltype(n)::value>{}); });
            }));
        soft.add(sums);
    }
};

} // namespace tegula
