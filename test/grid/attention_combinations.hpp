#pragma once

/// Forms of attention in combination: kernels in which every two choices that differ in code meet (element type, columns,
/// mask, bias, dropout, cache, packed heads, functor), each with every length of queries and of keys.

#include <tegula/kernel/attention/soft_cap.hpp>

#include "test/grid/attention_forms.hpp"
#include "test/kernel/attention/harness.hpp"

#include <algorithm>

namespace tegula::test {

/// Everything that the kernel's variant reads, made of random numbers. Holds what the arguments point to.
template <class Kernel>
class combined_attention
{
    using variant = typename Kernel::variant;
    static constexpr bool paged = variant::cache == attention_cache::paged;
    static constexpr index_t page = 128, block = 128; ///< multiples of every tile's keys and queries

public:
    attention_data<Kernel> data;

    combined_attention(index_t queries, index_t keys, index_t heads, index_t kv_heads, index_t batch, index_t head_dim,
                       index_t value_dim, const attention_band& band)
        : data(queries, paged ? round_up(keys, page) : keys, heads, kv_heads, batch, head_dim, value_dim)
    {
        auto& args = data.args;
        args.seq_k = keys;
        args.band = band;
        args.sinks = sinks_;
        if constexpr (requires { args.score.cap; })
            args.score.cap = 1.5f;
        if constexpr (variant::dropout)
            args.dropout = make_dropout(0.3, 11);
        const long_index_t scores = long_index_t{queries} * keys;
        if constexpr (variant::bias == attention_bias::tensor) { // of each sequence, for all heads
            bias_.resize(static_cast<std::size_t>(batch * scores));
            fill_normal<float>(bias_, 5);
            args.bias = {bias_.data(), scores, 0, keys, 1};
        } else if constexpr (variant::bias == attention_bias::alibi) {
            args.alibi = {slopes_, 0};
        }
        if constexpr (variant::mask == attention_mask::boolean) { // of each head, for all sequences
            boolean_.resize(static_cast<std::size_t>(heads * scores));
            for (auto& seen : boolean_)
                seen = random_.integer(0, 3) != 0;
            args.boolean = {boolean_.data(), 0, scores, keys, 1};
        } else if constexpr (variant::mask == attention_mask::lists) {
            make_lists(queries, keys, heads, batch);
        }
        if constexpr (paged)
            make_pages(keys, batch);
    }

private:
    /// Each block of queries sees two blocks of keys of three. The second of all sees none.
    void make_lists(index_t queries, index_t keys, index_t heads, index_t batch)
    {
        const index_t rows = ceil_div(queries, block), columns = ceil_div(keys, block);
        for (index_t list = 0; list < heads * rows; ++list) {
            counts_.push_back(0);
            std::vector<index_t> named(static_cast<std::size_t>(columns), -1);
            for (index_t j = 0; j < columns && list != 1; ++j)
                if ((list + j) % 3 != 0)
                    named[static_cast<std::size_t>(counts_.back()++)] = j;
            blocks_.insert(blocks_.end(), named.begin(), named.end());
        }
        data.args.lists = {counts_.data(), blocks_.data(), 0, rows, columns, block, block};
        static_cast<void>(batch); // all sequences have the same
    }
    /// The pages of all sequences lie in falling order; the first sequence has fewer keys if there are two.
    void make_pages(index_t keys, index_t batch)
    {
        auto& args = data.args;
        const index_t each = ceil_div(keys, page), pages = batch * each;
        for (index_t p = 0; p < pages; ++p)
            table_.push_back(pages - 1 - p);
        lengths_.assign(static_cast<std::size_t>(batch), keys);
        if (batch > 1)
            lengths_[0] = keys / 2;
        args.lengths.key_lengths = lengths_.data();
        args.pages = {table_.data(), each, page, pages};
        args.k.batch_stride = page * args.k.row_stride;
        args.v.batch_stride = page * args.v.row_stride;
    }

    random_source random_{6};
    float sinks_[4] = {0.5f, -1.0f, 0.0f, 2.0f};
    float slopes_[4] = {0.5f, 0.25f, 0.0625f, 1.0f};
    std::vector<float> bias_;
    std::vector<unsigned char> boolean_;
    std::vector<index_t> counts_, blocks_, table_, lengths_;
};

///   check  runs a problem: an attention_data of the kernel
template <class Kernel, class Check>
void check_combination(index_t head_dim, index_t value_dim, const Check& check)
{
    struct shape
    {
        index_t queries, keys, heads, kv_heads, batch;
        attention_band band;
    };
    constexpr auto top = attention_diagonal::top_left;
    const shape shapes[] = {
        {1, 1, 1, 1, 2, {}},         {3, 300, 4, 2, 2, {-1, 0}},         {64, 3, 2, 1, 1, {-1, 0, top}},
        {65, 127, 2, 2, 1, {20, 0}}, {127, 64, 3, 1, 2, {5, 9, top}},    {300, 65, 2, 1, 1, {-1, 0}},
        {64, 300, 2, 1, 2, {70, 3}}, {1, 127, 4, 1, 1, {30, -1, top, 5}}};
    for (const shape& s : shapes) {
        combined_attention<Kernel> form(s.queries, s.keys, s.heads, s.kv_heads, s.batch, head_dim, value_dim, s.band);
        check(form.data);
    }
}
template <class Kernel>
void check_combination(index_t head_dim, index_t value_dim)
{
    check_combination<Kernel>(head_dim, value_dim, [](const auto& data) { check_attention(data); });
}

/// Parameters of check(): T, head_dim, value_dim, mask, bias, whether there is dropout, cache, heads, and whether
/// scores are capped.
template <class Target>
struct combinations
{
    template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias,
              attention_weights Weights, attention_cache Cache, attention_heads Heads, bool Capped>
    static void check(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
    {
        using variant = attention_variant<Mask, Bias, Weights, Cache, Heads>;
        using score = std::conditional_t<Capped, soft_cap<Target>, unchanged_score>;
        using tile = attention_tile_for<Target, T, HeadDim, ValueDim, variant, score>;
        check_combination<attention_kernel<tile, T, variant, score>>(head_dim, value_dim);
    }

    // Chosen by test/programs/_pairwise.py; packed heads have no block lists.
    static void check_half()
    {
        using namespace attention_forms;
        using enum attention_cache;
        using enum attention_heads;
        check<half, 192, 128, boolean, alibi, all, contiguous, packed, false>();
        check<half, 32, 32, band, alibi, dropped, paged, apart, true>();
        check<half, 128, 128, every_key, tensor, all, contiguous, apart, true>(96, 128);
        check<half, 128, 128, boolean, no_bias, dropped, contiguous, packed, true>();
        check<half, 192, 128, every_key, tensor, dropped, paged, packed, true>();
        check<half, 192, 128, band, no_bias, dropped, contiguous, packed, false>();
        check<half, 32, 32, lists, tensor, all, contiguous, apart, false>(24, 32);
        check<half, 32, 32, every_key, alibi, dropped, paged, packed, false>();
        check<half, 64, 64, lists, alibi, all, paged, apart, true>();
        // The pairs have the widest columns in one kernel, of bf16.
        check<half, 256, 256, lists, alibi, all, paged, apart, true>();
        check<half, 256, 256, band, tensor, all, contiguous, packed, true>(256, 248);
    }
    static void check_bfloat16()
    {
        using namespace attention_forms;
        using enum attention_cache;
        using enum attention_heads;
        check<bfloat16, 64, 64, every_key, no_bias, dropped, contiguous, packed, true>(64, 40);
        check<bfloat16, 192, 128, lists, no_bias, all, paged, apart, false>();
        check<bfloat16, 128, 128, band, tensor, all, paged, packed, false>(128, 96);
        check<bfloat16, 64, 64, boolean, tensor, dropped, paged, apart, false>();
        check<bfloat16, 128, 128, lists, alibi, dropped, contiguous, apart, true>();
        check<bfloat16, 32, 32, boolean, no_bias, all, contiguous, packed, false>();
        check<bfloat16, 64, 64, band, alibi, dropped, paged, apart, false>();
        check<bfloat16, 256, 256, boolean, no_bias, dropped, contiguous, apart, false>();
    }
};

} // namespace tegula::test
