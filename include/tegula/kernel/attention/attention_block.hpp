#pragma once

#include <tegula/kernel/attention/input_scales.hpp>
#include <tegula/kernel/attention/key_value_tiles.hpp>
#include <tegula/kernel/attention/score_changes.hpp>
#include <tegula/kernel/attention/tile.hpp>
#include <tegula/tensor/coalesced.hpp>

namespace tegula {

/// What a block does for its rows of Q and its share of the keys, in all kernels of the forward pass.
///
///   Tile       an attention_tile
///   Variant    an attention_variant
///   Arguments  attention_arguments
template <class Tile, class Variant, class Arguments>
struct attention_block
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

    /// Tiles of a lot of rows, see attention_work.
    static constexpr TEGULA_HOST_DEVICE index_t tiles(const Arguments& args)
    {
        return static_cast<index_t>(ceil_div(work::rows(args, args.seq_q), long_index_t{Tile::queries}));
    }

    /// The rows of tile `tile` of lot `lot`. If a band is, the last rows, which see the most keys, come first.
    static TEGULA_INLINE work position(const Arguments& args, index_t lot, index_t tile)
    {
        const index_t row = Variant::mask == attention_mask::none ? tile : tiles(args) - 1 - tile;
        return work::at(args, lot, row * Tile::queries);
    }

    /// Computes the rows for the keys of `share`: o and, if it is not null, lse.
    template <class Share, class O>
    static TEGULA_INLINE void compute(const Arguments& args, const work& at, const Share& share,
                                      const attention_tensor<O>& o, const attention_rows<float>& lse)
    {
        const attention_sequence sequence = attention_sequence::at(args, at.batch);
        if (at.row >= work::rows(args, sequence.queries))
            return; // if lengths vary, the grid is the longest sequence's

        std::byte* const memory = target::shared_memory();
        const auto q = Tile::load_queries(args.q.row_stride, args.head_dim, memory,
                                          [&](auto& loader) { at.load(loader, args.q, sequence); });
        const changes change(args, sequence, at);
        input_scales<Tile, Arguments, work> scales(args, at);

        typename softmax::accumulators output; // [queries, value_dim]
        output.clear();
        softmax soft;
        soft.clear();

        tile_pairs pair(args, sequence, at, share, memory + Tile::first_key_byte);
        TEGULA_ROLLED
        while (pair.inside()) {
            pair.keys_arrive();
            typename score_mma::accumulators products; // [queries, keys]
            products.clear();
            streamed_product<score_mma, Tile::slices, Tile::crowded>(
                products, [&](auto s) { return q.template slice<s>(); }, pair.keys());
            pin_products(products);

            auto scores = chain::scores_of(products);
            scales.multiply(scores, pair.key());
            change.apply(scores, pair.key());
            soft.soften(scores, change.scale(), output);
            change.drop(scores, pair.key());
            scales.enter(pair.key(), scores, output);
            const auto weights = weights_of(scores);

            pair.values_arrive();
            streamed_product<output_mma, chain::slices, Tile::crowded>(
                output, [&](auto s) { return chain::template slice_of<s>(weights); }, pair.values());
            pair.end();
        }

        scales.leave(output);
        const auto logarithm = soft.finish(output, Share::ends_rows ? change.sinks() : change.no_sinks());
        Tile::key_loader::arrive();
        store_output(args, sequence, at, output, o, memory);
        if (lse.data != nullptr) {
            const auto view =
                at.template numbers<target>(lse.data + sequence.query_batch * lse.batch_stride + sequence.first_query,
                                            lse.head_stride, sequence.queries, "lse");
            store(make_tile_window<typename softmax::row_distribution>(view, {at.row}), logarithm);
        }
    }

private:
    /// As operands: exponentials, of at most 2^8, and that by what dropout multiplies them by.
    static TEGULA_INLINE auto weights_of(const typename chain::score_tensor& scores)
    {
        if constexpr (requires { chain::template operand_of<true>(scores); })
            return chain::template operand_of<!Variant::dropout>(scores);
        else
            return chain::operand_of(scores);
    }

    /// If scores are changed, the products come before all of that: LLVM would move them behind it, away from the keys,
    /// which RDNA has no registers to hold.
    static TEGULA_INLINE void pin_products([[maybe_unused]] typename score_mma::accumulators& products)
    {
        if constexpr (target::vendor == vendor::amd && changes::changes_scores)
            for (auto& tile : products.tiles)
                target::pin(tile);
    }

    /// Columns of the output that are stored at once: registers hold them twice.
    template <class O>
    static constexpr index_t stored_columns = min(Tile::value_dim, index_t{256} / static_cast<index_t>(sizeof(O)));

    /// Rows in vectors, whatever the accumulators' layout is.
    template <class O>
    static TEGULA_INLINE void store_output(const Arguments& args, const attention_sequence& s, const work& at,
                                           const typename softmax::accumulators& output, const attention_tensor<O>& o,
                                           std::byte* memory)
    {
        const auto view = at.template matrix<target>(
            o.data + s.query_batch * o.batch_stride + static_cast<long_index_t>(s.first_query) * o.row_stride,
            o.head_stride, o.row_stride, s.queries, args.value_dim, constant<1>{},
            constant<16 / static_cast<index_t>(sizeof(O))>{}, "O");
        if constexpr (requires { Tile::output_mma::in_memory; }) { // of a CPU, in whose memory the rows lie already
            const auto rows = static_cast<index_t>(work::rows(args, s.queries));
            Tile::store_output(output, view, at.row, rows - at.row, args.value_dim);
        } else {
            store_through_memory<O>(output, view, at.row, memory);
        }
    }
    template <class O, class View>
    static TEGULA_INLINE void store_through_memory(const typename softmax::accumulators& output, const View& view,
                                                   index_t row, std::byte* memory)
    {
        constexpr index_t columns = stored_columns<O>;
        using coalesced_rows = coalesced<target, O, Tile::queries, columns, Tile::waves>;
        static_for<Tile::value_dim / columns>([&](auto part) {
            const auto values = cast<O>(columns_of<part, columns>(output));
            store(make_tile_window<coalesced_rows>(view, {row, part * columns}),
                  convert<target, coalesced_rows, Tile::shared_bytes>(values, memory));
        });
    }

    /// What the accumulators of a part hold: with the values' columns in pairs, two instructions have the even ones and
    /// the odd ones of those of both, as byte_pair_loader has them.
    template <class Part>
    struct output_columns
    {
        static constexpr encoding_value raw =
            Tile::chain::alternates
                ? exchange_digits(Part::c_distribution::value, 1, 2, Part::waves_n* Part::atom::n, 1)
                : Part::c_distribution::value;
        static constexpr const encoding_value& value = raw;
    };

    /// Columns [Part * Columns, (Part + 1) * Columns) of the output.
    template <int Part, index_t Columns>
    static TEGULA_INLINE auto columns_of(const typename softmax::accumulators& output)
    {
        using part_mma =
            mma_tile<target, typename Tile::atom, Tile::queries, Columns, output_mma::waves_m, output_mma::waves_n>;
        constexpr int own = part_mma::iterations_n, all = output_mma::iterations_n;
        typename part_mma::accumulators part;
        static_for<part_mma::iterations_m * own>([&](auto i) {
            constexpr int n = decltype(i)::value;
            part.tiles[n] = output.tiles[n / own * all + Part * own + n % own];
        });
        distributed_tensor<float, tile_distribution<output_columns<part_mma>>> values;
        const auto& tiles = part.tiles;
        values.registers = __builtin_bit_cast(decltype(values.registers), tiles);
        return values;
    }
};

} // namespace tegula
