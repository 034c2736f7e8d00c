#pragma once

/// The forms of attention, several in one kernel: every one is in one of two kernels, on every target that runs these.

#include "test/kernel/attention/changed_scores.hpp"
#include "test/kernel/attention/far_scores.hpp"

#include <limits>

namespace tegula::test {

/// bf16 with d_v different from d, f32 results: soft-cap, bias, a boolean mask inside a band, dropout, sinks.
template <class Target>
void check_changed_scores()
{
    using tile = attention_tile_for<Target, bfloat16, 64, 32>;
    using kernel =
        attention_kernel<tile, float,
                         attention_variant<attention_mask::boolean, attention_bias::tensor, attention_weights::dropped>,
                         soft_cap<Target>>;
    attention_data<kernel> data(65, 127, 2, 1, 2, 56, 24);
    changed_scores changes(data);
    changes.hide_from_query(data, 7);
    data.args.sinks = nullptr;
    check_attention(data);
    data.args.sinks = changes.sinks.data();
    check_attention(data);
    check_far_bias_and_mask<kernel>([](const auto& far) { check_attention(far); });
}

/// Block lists over a paged cache with slopes, of sequences of unequal lengths.
template <class Target>
void check_gathered_keys()
{
    using kernel = test_attention<Target, half, 64, 64,
                                  attention_variant<attention_mask::lists, attention_bias::alibi,
                                                    attention_weights::all, attention_cache::paged>>;
    constexpr index_t page = 64, block = 128;
    static_assert(block % kernel::tile::queries == 0 && page % kernel::tile::keys == 0);
    attention_data<kernel> data(130, 300, 2, 1, 3);
    auto& args = data.args;
    // Sequences of 130, 0 and 65 queries; of 300, 5 and 64 keys, 5 pages each, somewhere.
    const std::vector<index_t> query_offsets = {0, 130, 130, 195}, key_lengths = {300, 5, 64};
    const std::vector<index_t> table = {9, 2, 7, 0, 4, 1, 1, 1, 1, 1, 8, 1, 1, 1, 1};
    args.lengths.query_offsets = query_offsets.data();
    args.lengths.key_lengths = key_lengths.data();
    args.lse.head_stride = 195;
    args.pages = {table.data(), 5, page, 10};
    args.k.batch_stride = page * args.k.row_stride;
    args.v.batch_stride = page * args.v.row_stride;
    const std::vector<float> slopes = {0.5f, 0.0625f};
    args.alibi = {slopes.data(), 0};
    args.band.left = 200;
    // The first block of queries sees two of three blocks of keys; the second sees one or none, by head.
    const std::vector<index_t> counts = {2, 1, 2, 0}, blocks = {0, 2, 0, 1, 2, 0, 1, 2, 0, 0, 0, 0};
    args.lists = {counts.data(), blocks.data(), 0, 2, 3, block, block};
    check_attention(data);
}

/// Scores and inputs that are hard for arithmetic, in one kernel.
///   check  runs a problem and compares
template <class Kernel, class Check>
void check_special_values(const Check& check)
{
    using T = typename Kernel::element;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const float scale : {0.0f, -0.3f})
        for (const index_t keys : {70, 1}) {
            attention_data<Kernel> data(65, keys, 1, 1, 1);
            data.args.scale = scale;
            check(data);
        }
    { // rising scores: the reference is raised again and again
        attention_data<Kernel> data(64, 300, 1, 1, 1);
        for (index_t j = 0; j < 300; ++j)
            for (index_t c = 0; c < data.args.head_dim; ++c) {
                auto& k = data.k[static_cast<std::size_t>(j * data.args.k.row_stride + c)];
                k = convert<T>(convert<float>(k) * static_cast<float>(j) / 16);
            }
        check(data);
    }
    { // a NaN in one query, +inf and -inf in the scores of others by way of Q
        attention_data<Kernel> data(65, 66, 1, 1, 1);
        const auto at = [&](index_t i) -> T& { return data.q[static_cast<std::size_t>(i * data.args.q.row_stride)]; };
        for (auto& k : data.k)
            k = convert<T>(convert<float>(k) < 0 ? -convert<float>(k) + 0.1f : convert<float>(k) + 0.1f);
        at(3) = convert<T>(std::numeric_limits<float>::quiet_NaN());
        at(40) = convert<T>(infinity);
        at(41) = convert<T>(-infinity);
        check(data);
    }
    check_far_products<Kernel>(check);
}

/// A sequence without a key, and sinks alone.
template <class Kernel, class Check>
void check_no_keys(const Check& check)
{
    attention_data<Kernel> data(5, 3, 2, 1, 2);
    const std::vector<index_t> none = {0, 3};
    const std::vector<float> sinks = {0.25f, -2.0f};
    data.args.lengths.key_lengths = none.data();
    check(data);
    data.args.sinks = sinks.data();
    check(data);
}

/// A bias of -inf hides keys: single ones, those before the first that a query sees, and all of some queries. One of -1e9
/// leaves others no weight.
template <class Kernel, class Check>
void check_hiding_bias(const Check& check)
{
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr index_t queries = 70, keys = 300;
    attention_data<Kernel> data(queries, keys, 2, 1, 2);
    std::vector<float> bias(2 * queries * keys);
    fill_normal<float>(bias, 5);
    const auto hides_all = [](index_t head, index_t i) { return (head == 0 && i < 3) || (head == 1 && i >= 68); };
    for (index_t head = 0; head < 2; ++head)
        for (index_t i = 0; i < queries; ++i)
            for (index_t j = 0; j < keys; ++j) {
                float& x = bias[static_cast<std::size_t>((head * queries + i) * keys + j)];
                if (hides_all(head, i) || (3 * i + j) % 7 == head || (i == 9 && j < 200) || (i == 10 && j > 0))
                    x = -infinity;
                else if ((3 * i + j) % 7 == 4)
                    x = -1e9f;
            }
    data.args.bias = {bias.data(), 0, queries * keys, keys, 1};
    check(data);
    const auto& o = data.args.o;
    for (index_t batch = 0; batch < 2; ++batch)
        for (index_t head = 0; head < 2; ++head)
            for (index_t i = 0; i < queries; ++i) {
                if (!hides_all(head, i))
                    continue;
                INFO("sequence " << batch << ", head " << head << ", query " << i);
                CHECK(data.lse[static_cast<std::size_t>((batch * 2 + head) * queries + i)] == -infinity);
                const auto* const row = o.data + batch * o.batch_stride + head * o.head_stride + i * o.row_stride;
                CHECK(std::all_of(row, row + data.args.value_dim, [](auto x) { return convert<float>(x) == 0; }));
            }
}

template <class Kernel>
void check_special_values()
{
    const auto check = [](const auto& data) { check_attention(data); };
    check_special_values<Kernel>(check);
    check_no_keys<Kernel>(check);
}

} // namespace tegula::test
