#pragma once

#include <tegula/kernel/attention/attention_part.hpp>
#include <tegula/kernel/attention/input_scales.hpp>
#include <tegula/kernel/attention/key_value_tiles.hpp>
#include <tegula/kernel/attention/output_rows.hpp>
#include <tegula/kernel/attention/score_changes.hpp>
#include <tegula/kernel/attention/tile.hpp>
#include <tegula/kernel/attention/woven_products.hpp>

namespace tegula {

namespace detail {

struct no_woven_products
{
    struct first_values
    {};
};

} // namespace detail

/// The work of a block for its rows of Q and its share of the keys, in all kernels of the forward pass. Precondition:
/// the arguments are, or begin, the first parameter of the __global__ function (round_arguments).
///
///   Tile       an attention_tile
///   Variant    an attention_variant
///   Arguments  attention_arguments
template <class Tile, class Variant, class Arguments>
struct attention_block : attention_tile_rows<Tile, Variant>
{
    static_assert(Tile::check());

    using target = typename Tile::target;
    using element = typename Tile::element;
    using score_mma = typename Tile::score_mma;
    using output_mma = typename Tile::output_mma;
    using chain = typename Tile::chain;
    using softmax = typename Tile::softmax;
    using changes = score_changes<Tile, Arguments, Variant>;
    using tile_pairs = key_value_tiles<Tile, Variant, Arguments>;
    using work = attention_work<Variant::heads>;
    using output_rows = attention_output_rows<Tile>;
    /// Whether weights are made beside the product with values. Dropout changes them before.
    static constexpr bool weaves = [] {
        if constexpr (target::vendor == vendor::amd && target::wave_size == 64)
            return softmax::pairs && !Variant::dropout;
        else
            return false;
    }();
    using woven = std::conditional_t<weaves, woven_products<Tile, tile_pairs>, detail::no_woven_products>;
    using round = round_arguments<Tile, Variant, Arguments>;

    /// Computes a part's rows: O and, if it is not null, lse.
    ///
    ///   whole    the kernel's arguments
    ///   part_of  gives the attention_part from these; called again after the loop if the part is not kept
    template <class Whole, class Part>
    static TEGULA_INLINE void compute(const Whole& whole, const Part& part_of)
    {
        const auto part = part_of(whole);
        const Arguments& args = part.args;
        const work& at = part.at;
        round::check(args);
        const attention_sequence sequence = attention_sequence::at(args, at.batch);
        if (at.row >= work::rows(args, sequence.queries))
            return; // if lengths vary, the grid is the longest sequence's

        std::byte* const memory = target::shared_memory();
        const auto q = Tile::load_queries(args.q.row_stride, args.head_dim, memory,
                                          [&](auto& loader) { at.load(loader, args.q, sequence); });
        input_scales<Tile, Arguments, work> scales(args, at);

        typename softmax::accumulators output; // [queries, value_dim]
        output.clear();
        softmax soft;
        soft.clear();

        tile_pairs pair(args, sequence, at, part.share, memory + Tile::first_key_byte);
        scales.load_ahead(pair.key(), pair.inside());
        TEGULA_ROLLED
        while (pair.inside()) {
            pair.keys_arrive();
            typename score_mma::accumulators products; // [queries, keys]
            products.clear();
            [[maybe_unused]] typename woven::first_values first_values;
            if constexpr (weaves && tile_pairs::values_early)
                woven::multiply_keys(products, first_values, q, pair);
            else
                streamed_product<score_mma, Tile::slices, Tile::crowded>(
                    products, [&](auto s) { return q.template slice<s>(); }, pair.keys());
            pin_products(products);

            const Arguments& in_round = round::of(args);
            const changes change(in_round, sequence, at, round::functor_of(in_round, args));
            auto scores = chain::scores_of(products);
            scales.multiply(scores, pair.key());
            change.apply(scores, pair.key());
            if constexpr (weaves) {
                pin_scores(scores);
                const auto offset = soft.settle(scores, change.scale(), output);
                scales.set_value_scale(pair.key(), output);
                pair.values_arrive();
                scales.load_ahead(pair.key(), pair.inside());
                woven::multiply_values(output, soft, scores, offset, change.scale(), first_values, pair,
                                       [&](auto& weights) { scales.clear(weights); });
            } else {
                soft.update(scores, change.scale(), output);
                change.drop(scores, pair.key());
                auto weights = weights_of(scores);
                const auto slice_of = [&](auto s) { return chain::template slice_of<s>(weights); };
                if constexpr (Tile::sums_apart) {
                    const float scale = scales.of_values(pair.key());
                    pair.values_arrive();
                    add_streamed_product<output_mma, chain::slices, Tile::crowded>(output, slice_of, pair.values(),
                                                                                   scale);
                } else {
                    scales.set_value_scale(pair.key(), output);
                    scales.clear(weights);
                    pair.values_arrive();
                    streamed_product<output_mma, chain::slices, Tile::crowded>(output, slice_of, pair.values());
                }
                scales.load_ahead(pair.key(), pair.inside());
            }
            pair.end();
        }

        if constexpr (!Tile::sums_apart)
            scales.finish(output);
        // The sequence is kept: LLVM 19 does not know that a reloaded pointer points to global memory, and would load
        // lengths by flat loads.
        if constexpr (round::reloads_behind)
            finish(part_of(internal::reload_arguments(whole)), sequence, soft, output, memory);
        else if constexpr (Tile::recomputes_part) {
            const auto again = part_of(whole);
            finish(again, attention_sequence::at(args, again.at.batch), soft, output, memory);
        } else
            finish(part, sequence, soft, output, memory);
    }

private:
    template <class Share, class O>
    static TEGULA_INLINE void finish(const attention_part<Arguments, work, Share, O>& part,
                                     const attention_sequence& sequence, softmax& soft,
                                     typename softmax::accumulators& output, std::byte* memory)
    {
        const auto& [args, at, share, o, lse, shift] = part;
        const changes change(args, sequence, at);
        const auto ends = soft.finish(output, Share::ends_rows ? change.sinks() : change.no_sinks(), change.scale());
        tile_pairs::key_loader::arrive();
        output_rows::store(args, sequence, at, output, o, memory);
        const auto store_rows = [&](const attention_rows<float>& to, const typename softmax::rows& x,
                                    const char* name) { store_row_numbers<target>(sequence, at, to, x, name); };
        if constexpr (Share::ends_rows) {
            if (lse.data != nullptr)
                store_rows(lse, ends.lse(), "lse");
        } else {
            store_rows(lse, ends.logarithm, "lse of a share");
            store_rows(shift, ends.shift, "shift of a share");
        }
    }

    /// Ends the changes of scores here. LLVM would hold their comparisons, of which scalar registers have no room, until
    /// the weights are made. LLVM before 20 would pair scores otherwise than packed instructions do, and copy them.
    static TEGULA_INLINE void pin_scores([[maybe_unused]] typename chain::score_tensor& scores)
    {
#if defined(__clang__) && __clang_major__ < 20
        constexpr bool pairs_otherwise = !tile_pairs::direct;
#else
        constexpr bool pairs_otherwise = false;
#endif
        if constexpr (changes::changes_scores || pairs_otherwise)
            target::pin(scores.registers);
    }

    /// The weights as operands. They are at most 2^8 unless dropout has multiplied them.
    static TEGULA_INLINE auto weights_of(const typename chain::score_tensor& scores)
    {
        return chain::template operand_of<!Variant::dropout>(scores);
    }

    /// If scores are changed or have scales, keeps the products before these. LLVM would move the products after them,
    /// and hold the keys until then, for which RDNA has no registers.
    static TEGULA_INLINE void pin_products([[maybe_unused]] typename score_mma::accumulators& products)
    {
        if constexpr (target::vendor == vendor::amd && (changes::changes_scores || sizeof(typename Tile::element) == 1))
            for (auto& tile : products.tiles)
                target::pin(tile);
    }
};

} // namespace tegula
