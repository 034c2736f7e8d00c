#pragma once

#include <tegula/attention.hpp>

using namespace tegula;

/// O = softmax(scale Q K^T) V of one head, every query with the keys up to its own, out of the parts of block/. Q, K, V and
/// O are [rows, 64], row-major and dense; a block makes 128 rows of O with 4 waves, 64 keys at a time.
struct attention_by_hand
{
    using target = arch::gfx942;
    using element = bfloat16;
    using atom = mma_atom<target, element, element, float, 32, 32, 8>;
    static constexpr index_t queries = 128, keys = 64, columns = 64;
    static constexpr int waves = 4;

    // The two products, what hands the scores of one to the other, and the softmax between them.
    using score_mma = mma_tile<target, atom, queries, keys, waves, 1>;
    using output_mma = mma_tile<target, atom, queries, columns, waves, 1>;
    using chain = chained_products<score_mma, output_mma, false>;
    using softmax = online_softmax<target, chain::score_distribution, output_mma>;

    // Loads tiles to shared memory and reads them there as operands.
    template <index_t Rows, class Operand>
    using row_loader = column_loader<target, element, Rows, columns, waves, Operand, 0>;
    using query_loader = row_loader<queries, score_mma::a_distribution>;
    using key_loader = row_loader<keys, chain::b_distribution>;
    using value_loader = sequence_loader<target, element, columns, keys, waves, operand_order::row_contiguous,
                                         output_mma::b_distribution, 0>;

    static constexpr int block_threads = score_mma::block_threads;
    static constexpr index_t shared_bytes = query_loader::bytes + key_loader::bytes + value_loader::bytes;

    struct arguments
    {
        const element *q, *k, *v;
        float* o;
        index_t rows; ///< queries, and keys
        float scale;
    };

    TEGULA_HOST_DEVICE void operator()(const arguments& args) const
    {
        std::byte* const memory = target::shared_memory();
        const index_t row = target::block_id()[0] * queries, last = min(row + queries, args.rows);
        query_loader q(columns, columns, memory, "Q");
        key_loader k(columns, columns, memory + query_loader::bytes, "K");
        value_loader v(columns, columns, memory + query_loader::bytes + key_loader::bytes, "V");
        q.load(args.q + long_index_t{row} * columns, args.rows - row);
        q.store();

        output_mma::accumulators output; // [queries, columns]
        output.clear();
        softmax soft;
        soft.clear();
        for (index_t key = 0; key < last; key += keys) {
            k.load(args.k + long_index_t{key} * columns, args.rows - key);
            v.load(args.v + long_index_t{key} * columns, args.rows - key);
            k.store();
            v.store();
            key_loader::arrive();             // all tiles, for all waves
            score_mma::accumulators products; // [queries, keys]
            products.clear();
            streamed_product<score_mma, columns / score_mma::slice_k>(
                products, [&](auto s) { return slice_of<s>(q); }, k);
            auto scores = chain::scores_of(products);
            hide_keys<target>(scores, key, [&](index_t r) { return key_range{0, min(row + r + 1, args.rows)}; });
            soft.update(scores, args.scale, output);
            const auto weights = chain::operand_of(scores);
            streamed_product<output_mma, chain::slices>(output, [&](auto s) { return chain::slice_of<s>(weights); }, v);
            target::shared_barrier(); // the next tiles come to the same place
        }
        soft.finish(output, make_distributed_tensor<float, softmax::row_distribution>(-__builtin_inff()), args.scale);

        const auto layout = make_strided_descriptor(make_tuple(args.rows, columns), make_tuple(columns, constant<1>{}));
        const auto o = make_tensor_view<target, address_space::global>(args.o, layout, "O");
        static_for<output_mma::iterations_m>([&](auto i) {
            store(make_tile_window<output_mma::strip_distribution>(o, {row + i * output_mma::strip_rows, 0}),
                  output.strip<i>());
        });
    }

    /// Slice S of the queries, as the product takes it.
    template <int S>
    static TEGULA_HOST_DEVICE score_mma::a_slice slice_of(const query_loader& q)
    {
        const auto words = q.stream().template read<S * score_mma::slice_k>();
        score_mma::a_slice slice;
        slice.registers = __builtin_bit_cast(decltype(slice.registers), words);
        return slice;
    }
};
