#pragma once

#include <tegula/block/raster.hpp>
#include <tegula/kernel/attention/score_changes.hpp>
#include <tegula/kernel/attention/sequence.hpp>
#include <tegula/kernel/attention/tile.hpp>
#include <tegula/tensor/coalesced.hpp>

namespace tegula {

/// The forward pass of attention, one block a tile of queries of one head: attention_arguments says what it computes.
/// Rows of Q, K, V and O start at multiples of 16 bytes, and head_dim and value_dim are multiples of 16 bytes too.
///
///   Tile     an attention_tile
///   O        element type of the output
///   Variant  an attention_variant
///   Score    a functor like unchanged_score
///
/// operator() is the body of one block; grid size, block size and shared memory are below.
template <class Tile, class O = typename Tile::element, class Variant = attention_variant<>,
          class Score = unchanged_score>
struct attention_kernel
{
    static_assert(Tile::check());

    using tile = Tile;
    using target = typename Tile::target;
    using element = typename Tile::element;
    using output_type = O;
    using variant = Variant;
    using arguments = attention_arguments<element, O, Score>;
    using score_mma = typename Tile::score_mma;
    using output_mma = typename Tile::output_mma;
    using chain = typename Tile::chain;
    using softmax = typename Tile::softmax;
    using changes = score_changes<Tile, arguments, Variant>;
    using tiles_of_keys = key_tiles<Tile, Variant>;

    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t shared_bytes = Tile::shared_bytes;

    static constexpr TEGULA_HOST_DEVICE index_t query_tiles(const arguments& args)
    {
        return ceil_div(args.seq_q, Tile::queries);
    }
    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.batch * args.heads * query_tiles(args);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const attention_work at = position(args, target::block_id()[0]);
        const attention_sequence sequence = attention_sequence::at(args, at.batch);
        if (at.query >= sequence.queries)
            return; // if lengths vary, the grid is the longest sequence's

        std::byte* const memory = target::shared_memory();
        const element* const rows = query_rows(args.q, sequence, at);
        const auto q = Tile::load_queries(rows, sequence.queries - at.query, args.q.row_stride, args.head_dim, memory);
        typename Tile::key_loader keys(args.k.row_stride, args.head_dim, memory + Tile::first_key_byte, "K");
        typename Tile::value_loader values(args.v.row_stride, args.value_dim, memory + Tile::first_value_byte, "V");
        const changes change(args, sequence, at);
        tiles_of_keys tile(args, sequence, at);

        typename softmax::accumulators output; // [queries, value_dim]
        output.clear();
        softmax soft;
        soft.clear();

        keys.load(key_rows(args.k, args, sequence, at, tile), tile.extent());
        keys.store();
        TEGULA_ROLLED
        while (tile.inside()) {
            keys.arrive(); // and the values before are not read any more
            values.load(key_rows(args.v, args, sequence, at, tile), tile.extent());
            typename score_mma::accumulators products; // [queries, keys]
            products.clear();
            streamed_product<score_mma, Tile::slices>(products, [&](auto s) { return q.template slice<s>(); }, keys);

            auto scores = chain::scores_of(products);
            change.apply(scores, tile.key());
            soft.soften(scores, change.scale(), output);
            change.drop(scores, tile.key());
            const auto weights = chain::operand_of(scores);

            values.store();
            values.arrive(); // and the keys are not read any more
            tile.advance();
            keys.load(key_rows(args.k, args, sequence, at, tile), tile.extent());
            streamed_product<output_mma, chain::slices>(
                output, [&](auto s) { return chain::template slice_of<s>(weights); }, values);
            keys.store();
        }

        const auto logarithm = soft.finish(output, change.sink());
        keys.arrive();
        store_output(args, sequence, at, output, memory);
        if (args.lse.data != nullptr)
            store(row_window<typename softmax::row_distribution>(args.lse, sequence, at), logarithm);
    }

    /// Which queries block `number` of [0, blocks(args)) takes. The blocks of a head follow each other: they share its
    /// keys and values. If there is a band, the last queries, which see the most keys, come first.
    static TEGULA_INLINE attention_work position(const arguments& args, index_t number)
    {
        const index_t tiles = query_tiles(args);
        const index_t head = number / tiles;
        const index_t tile = number - head * tiles;
        const index_t batch = head / args.heads;
        const index_t row = Variant::mask == attention_mask::none ? tile : tiles - 1 - tile;
        return {batch, head - batch * args.heads, row * Tile::queries};
    }

private:
    template <class T>
    static TEGULA_INLINE T* query_rows(const attention_tensor<T>& x, const attention_sequence& s,
                                       const attention_work& at)
    {
        return x.data + s.query_batch * x.batch_stride + at.head * x.head_stride +
               static_cast<long_index_t>(s.first_query + at.query) * x.row_stride;
    }

    /// Where a tile of keys or values lies.
    static TEGULA_INLINE const element* key_rows(const attention_tensor<const element>& x, const arguments& args,
                                                 const attention_sequence& s, const attention_work& at,
                                                 const tiles_of_keys& tile)
    {
        const element* const of_head = x.data + at.head / (args.heads / args.kv_heads) * x.head_stride;
        const index_t key = tile.key();
        if constexpr (Variant::cache == attention_cache::paged) {
            const index_t page = key / args.pages.page_length;
            const long_index_t number = tile.inside() ? args.pages.table[at.batch * args.pages.batch_stride + page] : 0;
            return of_head + number * x.batch_stride +
                   static_cast<long_index_t>(key - page * args.pages.page_length) * x.row_stride;
        } else {
            return of_head + s.key_batch * x.batch_stride + static_cast<long_index_t>(s.first_key + key) * x.row_stride;
        }
    }

    template <class Distribution>
    static TEGULA_INLINE auto row_window(const attention_rows<float>& x, const attention_sequence& s,
                                         const attention_work& at)
    {
        float* const data = x.data + s.query_batch * x.batch_stride + at.head * x.head_stride + s.first_query;
        const auto view = make_tensor_view<target, address_space::global>(
            data, make_strided_descriptor(make_tuple(s.queries), make_tuple(constant<1>{}), constant<1>{}), "lse");
        return make_tile_window<Distribution>(view, {at.query});
    }

    /// Whole rows in vectors, whatever the accumulators' layout is.
    static TEGULA_INLINE void store_output(const arguments& args, const attention_sequence& s, const attention_work& at,
                                           const typename softmax::accumulators& output, std::byte* memory)
    {
        using coalesced_rows = coalesced<target, O, Tile::queries, Tile::value_dim, Tile::waves>;
        distributed_tensor<float, typename output_mma::c_distribution> values;
        const auto& tiles = output.tiles;
        values.registers = __builtin_bit_cast(decltype(values.registers), tiles);
        const auto result = convert<target, coalesced_rows, shared_bytes>(cast<O>(values), memory);
        const auto view = make_tensor_view<target, address_space::global>(
            query_rows(args.o, s, at),
            make_strided_descriptor(make_tuple(s.queries - at.query, args.value_dim),
                                    make_tuple(args.o.row_stride, constant<1>{}),
                                    constant<16 / static_cast<index_t>(sizeof(O))>{}),
            "O");
        store(make_tile_window<coalesced_rows>(view, {0, 0}), result);
    }
};

} // namespace tegula
