#pragma once

/// The latent form of attention, whose values are the first columns of the keys.

#include "test/kernel/attention/split/split.hpp"

#include <string>

namespace tegula::test {

/// Heads that share K are rows of a tile, keys lie in pages and are split: lengths with ends inside a tile, a sequence
/// shorter than the other, fewer columns than the tile's.
template <class Tile>
void check_latent()
{
    using kernel =
        attention_split_kernel<Tile, float,
                               attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                                 attention_cache::paged, attention_heads::packed>>;
    struct shape
    {
        index_t queries, heads, kv_heads, head_dim, value_dim, splits;
        std::vector<index_t> lengths;
    };
    constexpr index_t page = 64, pages = 5; // of a sequence
    const std::vector<index_t> table = {4, 0, 2, 1, 5, 3, 9, 6, 8, 7};
    for (const shape& s : {shape{3, 22, 1, 576, 512, 1, {300, 3}}, shape{1, 16, 1, 576, 512, 2, {129, 64}},
                           shape{2, 4, 2, 544, 456, 3, {1, 127}}}) {
        attention_data<kernel> data(s.queries, pages * page, s.heads, s.kv_heads, 2, s.head_dim, s.value_dim);
        auto& args = data.args;
        args.lengths.key_lengths = s.lengths.data();
        args.pages = {table.data(), pages, page, 2 * pages};
        args.k.batch_stride = page * args.k.row_stride;
        args.v = args.k;
        args.band.right = 0;
        check_split_attention(data, s.splits);
        if (Tile::key_values == key_value_place::same) {
            args.v = {data.v.data(), args.k.batch_stride, args.k.head_stride, args.k.row_stride};
            typename kernel::arguments refused{args, 1, {data.lse.data(), 1}};
            emulated_device device;
            CHECK(std::string(launch(device, kernel{}, refused).message()) ==
                  "V is a tensor of its own; this tile reads it from the first columns of K: pass K's pointer and "
                  "strides "
                  "for V");
        }
    }
}

} // namespace tegula::test
