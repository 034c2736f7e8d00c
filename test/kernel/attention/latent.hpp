#pragma once

/// The latent form of attention, whose values are the first columns of the keys.

#include <tegula/kernel/attention/warp_specialized/latent.hpp>

#include "test/kernel/attention/split/split.hpp"

#include <string>

namespace tegula::test {

/// Heads that share K are rows of a tile, keys lie in pages and are split: lengths with ends inside a tile, a sequence
/// shorter than the other, fewer columns than the tile's.
///
///   page  keys of a page
template <class Kernel>
void check_latent_pages(index_t page = 64)
{
    using kernel = Kernel;
    using Tile = typename Kernel::tile;
    struct shape
    {
        index_t queries, heads, kv_heads, head_dim, value_dim, splits;
        std::vector<index_t> lengths;
    };
    const index_t pages = ceil_div(320, page); // of a sequence
    std::vector<index_t> table;
    for (index_t i = 0; i < 2 * pages; ++i)
        table.push_back((3 * i + 4) % (2 * pages));
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

using latent_pages = attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                       attention_cache::paged, attention_heads::packed>;

/// The kernel by wgmma.
template <class T, class Variant, class O = float>
using latent_by_wgmma = warp_specialized_latent_attention<warp_specialized_latent_tile<arch::sm_90a, T>, O, Variant>;

template <class Tile>
void check_latent()
{
    check_latent_pages<attention_split_kernel<Tile, float, latent_pages>>();
}

/// Puts NaN in the rows of K from `first` to `last`, of a batch entry or a page.
template <class Kernel>
void spoil_keys(attention_data<Kernel>& data, long_index_t batch, index_t first, index_t last)
{
    const auto& k = data.args.k;
    using T = typename Kernel::element;
    for (index_t head = 0; head < data.args.kv_heads; ++head)
        for (index_t row = first; row < last; ++row)
            for (index_t column = 0; column < data.args.head_dim; ++column)
                data.k[static_cast<std::size_t>(batch * k.batch_stride + head * k.head_stride + row * k.row_stride +
                                                column)] = convert<T>(std::numeric_limits<float>::quiet_NaN());
}

/// Keys that grow along the sequence: most tiles raise the references of some rows. Shares of an odd number of tiles and of
/// an even one; rows of two tiles of queries, the last of few.
template <class Kernel>
void check_rising_references()
{
    constexpr index_t page = 64, pages = 9;
    const std::vector<index_t> table = {8, 0, 2, 1, 5, 3, 4, 6, 7}, length = {pages * page - 11};
    attention_data<Kernel> data(1, pages * page, 69, 1, 1);
    for (std::size_t i = 0; i < data.k.size(); ++i) { // in the order of the pages, not of the keys
        const auto at = static_cast<index_t>(static_cast<long_index_t>(i) / data.args.k.row_stride);
        data.k[i] = convert<typename Kernel::element>(static_cast<float>(data.k[i]) * 0.02f * static_cast<float>(at));
    }
    auto& args = data.args;
    args.lengths.key_lengths = length.data();
    args.pages = {table.data(), pages, page, pages};
    args.k.batch_stride = page * args.k.row_stride;
    args.v = args.k;
    for (const index_t splits : {1, 4})
        check_split_attention(data, splits);
}

} // namespace tegula::test
