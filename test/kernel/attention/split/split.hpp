#pragma once

/// Attention whose keys are split and whose heads are packed, against the formula.

#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/split/kernel.hpp>

#include "test/kernel/attention/far_scores.hpp"

#include <limits>

namespace tegula::test {

/// Computes data's attention in that many shares.
///
///   change(args)  completes the kernel's arguments
template <class Kernel, class Change>
void check_split_attention(const attention_data<Kernel>& data, index_t splits, const Change& change)
{
    typename Kernel::arguments args{data.args, splits, {}};
    change(args);
    std::vector<float> memory(static_cast<std::size_t>(args.workspace_size()) + 4, 1e30f);
    args.workspace = {memory.data(), args.workspace_size()};
    if (reinterpret_cast<std::uintptr_t>(memory.data()) % 16 != 0)
        args.workspace.data += 4 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16 / 4;
    INFO(splits << " shares");
    emulated_device device;
    check_attention(data, [&] {
        static_cast<void>(launch(device, Kernel{}, args));
        return device.result;
    });
}

template <class Kernel>
void check_split_attention(const attention_data<Kernel>& data, index_t splits)
{
    check_split_attention(data, splits, [](auto&) {});
}

template <class Target, class T, index_t D, class Variant, class Score = unchanged_score>
using split_attention = attention_split_kernel<decoding_tile_for<Target, T, D, D, Variant, Score>, T, Variant, Score>;

/// Few queries of packed heads with every kind of share: one, more than there are tiles of keys, those that a band
/// leaves empty; rows that see nothing; sequences of unequal lengths.
template <class Target>
void check_decoding()
{
    using kernel = split_attention<Target, half, 64,
                                   attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                                     attention_cache::contiguous, attention_heads::packed>>;
    struct shape
    {
        index_t queries, keys, heads, kv_heads, batch, left, right, splits;
    };
    constexpr shape shapes[] = {{1, 300, 8, 1, 2, -1, -1, 3}, {3, 127, 6, 2, 1, -1, 0, 7}, {1, 1, 3, 3, 1, -1, 0, 2},
                                {70, 65, 3, 1, 1, -1, 0, 2},  {5, 300, 4, 4, 1, 40, 0, 4}, {2, 64, 5, 1, 2, 9, 3, 1}};
    for (const shape& s : shapes) {
        attention_data<kernel> data(s.queries, s.keys, s.heads, s.kv_heads, s.batch);
        data.args.band.left = s.left;
        data.args.band.right = s.right;
        check_split_attention(data, s.splits);
    }
    { // sequences of 3, 0, 40 and 1 queries, of 130, 64, 0 and 300 keys; sinks
        attention_data<kernel> data(40, 300, 4, 2, 4);
        const std::vector<index_t> query_offsets = {0, 3, 3, 43, 44}, key_lengths = {130, 64, 0, 300};
        const std::vector<float> sinks = {0.5f, -1.0f, 3.0f, 0.0f};
        data.args.lengths.query_offsets = query_offsets.data();
        data.args.lengths.key_lengths = key_lengths.data();
        data.args.lse.head_stride = 44;
        // Rows behind a sequence's keys must not be read.
        const auto spoil = [&](auto& x, const auto& tensor) {
            for (std::size_t b = 0; b < 4; ++b)
                for (long_index_t i = key_lengths[b] * tensor.row_stride; i < tensor.batch_stride; ++i)
                    x[b * static_cast<std::size_t>(tensor.batch_stride) + static_cast<std::size_t>(i)] =
                        convert<half>(std::numeric_limits<float>::quiet_NaN());
        };
        spoil(data.k, data.args.k);
        spoil(data.v, data.args.v);
        data.args.band.right = 0;
        check_split_attention(data, 4);
        data.args.sinks = sinks.data();
        check_split_attention(data, 4);
    }
    check_far_products<kernel>([](const auto& data) { check_split_attention(data, 3); });
    { // nothing at all
        attention_data<kernel> data(0, 10, 4, 2, 2);
        check_split_attention(data, 2);
    }
}

/// Packed heads over a paged cache, with everything that depends on query and head: bias, a boolean mask, a functor,
/// dropout.
template <class Target>
void check_packed_changes()
{
    using kernel =
        split_attention<Target, bfloat16, 32,
                        attention_variant<attention_mask::boolean, attention_bias::tensor, attention_weights::dropped,
                                          attention_cache::paged, attention_heads::packed>,
                        soft_cap<Target>>;
    constexpr index_t heads = 6, queries = 13, keys = 200, batch = 2, page = 128;
    attention_data<kernel> data(queries, 4 * page, heads, 2, batch);
    auto& args = data.args;
    args.seq_k = keys;
    const std::vector<index_t> table = {3, 1, 0, 2}, lengths = {200, 129};
    args.lengths.key_lengths = lengths.data();
    args.pages = {table.data(), 2, page, 8};
    args.k.batch_stride = page * args.k.row_stride;
    args.v.batch_stride = page * args.v.row_stride;
    args.score.cap = 1.5f;
    args.band.right = 100;
    std::vector<float> bias(static_cast<std::size_t>(heads * queries * keys));
    std::vector<unsigned char> mask(static_cast<std::size_t>(heads * queries * keys));
    fill_normal<float>(bias, 5);
    random_source random(6);
    for (auto& m : mask)
        m = random.integer(0, 3) != 0;
    args.bias = {bias.data(), 0, queries * keys, keys, 1};
    args.boolean = {mask.data(), 0, queries * keys, keys, 1};
    args.dropout = make_dropout(0.3, 11);
    check_split_attention(data, 2);
}

} // namespace tegula::test
