#pragma once

#include "test/kernel/attention/changed_scores.hpp"
#include "test/kernel/attention/far_scores.hpp"

namespace tegula::test {

/// Cases of attention by tensor copies, for every target that has it. Family::kernel<T, D, ValueDim, Variant, O, Score> is
/// the kernel of Family::target.

template <class Family>
void check_every_length_and_band()
{
    using kernel = typename Family::template kernel<bfloat16, 64, 64, attention_variant<attention_mask::band>>;
    check_attention_lengths<kernel>();
    // Ten tiles of keys: the first that tell of a ring whose stages count one reader too few.
    check_attention(attention_data<kernel>(3, 1290, 1, 1, 1));
    attention_data<kernel> data(70, 290, 1, 1, 1);
    data.args.band = {.left = 40, .right = 2, .prefix = 131};
    check_attention(data);
    data.args.band = {.left = 10, .right = 0, .diagonal = attention_diagonal::top_left, .prefix = 400};
    check_attention(data);
}

template <class Family>
void check_all_keys()
{
    using kernel = typename Family::template kernel<half, 128, 128, attention_variant<>>;
    for (const index_t keys : {1, 127, 300})
        check_attention(attention_data<kernel>(300, keys, 2, 1, 1));
}

/// OfUnequalHeads  the family of the kernel whose values have fewer columns than its keys
template <class Family, class OfUnequalHeads = Family>
void check_wide_heads()
{
    using square = typename Family::template kernel<bfloat16, 256, 256, attention_variant<attention_mask::band>>;
    check_attention(attention_data<square>(130, 170, 1, 1, 1, 232, 256));
    using unequal = typename OfUnequalHeads::template kernel<half, 192, 128, attention_variant<>>;
    check_attention(attention_data<unequal>(65, 240, 1, 1, 1, 192, 120));
}

/// Sequences in one tensor behind each other, and in entries of a batch, with keys and values behind their ends that are no
/// numbers.
template <class Family, attention_mask Mask, class T = bfloat16>
void check_unequal_lengths()
{
    using kernel = typename Family::template kernel_of_any_length<T, 64, 64, attention_variant<Mask>>;
    constexpr index_t queries = 300, keys = 400;
    const auto spoil = [](const auto& x, long_index_t batch, index_t first, index_t last) {
        for (index_t head = 0; head < 2; ++head)
            for (index_t row = first; row < last; ++row)
                for (index_t column = 0; column < 64; ++column)
                    const_cast<T*>(
                        x.data)[batch * x.batch_stride + head * x.head_stride + row * x.row_stride + column] =
                        T(std::numeric_limits<float>::quiet_NaN());
    };
    // Sequences of 300, 0, 1 and 129 queries and of 390, 7, 300 and 0 keys; a whole tile of keys, too.
    const index_t query_offsets[] = {0, 300, 300, 301, 430}, key_offsets[] = {0, 400, 420, 720, 720};
    const index_t key_lengths[] = {390, 7, 300, 0}, whole[] = {384, 20, 64, 0};
    for (const index_t* lengths : {key_lengths, whole}) {
        attention_data<kernel> data(queries, keys, 4, 2, 4);
        data.args.lengths = {query_offsets, key_offsets, lengths, 430, 720};
        data.args.lse.head_stride = 430;
        for (const auto& x : {data.args.k, data.args.v})
            for (int b = 0; b < 4; ++b)
                spoil(x, 0, key_offsets[b] + lengths[b], key_offsets[b + 1]);
        check_attention(data);
    }
    attention_data<kernel> entries(70, 200, 2, 2, 3);
    const index_t of_entries[] = {200, 33, 129};
    entries.args.lengths.key_lengths = of_entries;
    for (const auto& x : {entries.args.k, entries.args.v})
        for (int b = 0; b < 3; ++b)
            spoil(x, b, of_entries[b], 200);
    entries.args.band = {.left = 90, .right = 3};
    check_attention(entries);
}

/// Sequences of several lengths in pages of so many keys, which lie in no order, with values that are no numbers in pages of
/// nobody and behind the ends of sequences. The last sequence is the longest: the table ends with its last page.
///
///   lengths  keys of each sequence, at most 512
template <class Family, class T = bfloat16, index_t D = 64, attention_mask Mask = attention_mask::band>
void check_copied_pages(index_t page, const std::vector<index_t>& lengths, index_t queries, index_t heads = 4)
{
    INFO("pages of " << page << " keys");
    using variant = attention_variant<Mask, attention_bias::none, attention_weights::all, attention_cache::paged>;
    using kernel = typename Family::template kernel_of_any_length<T, D, D, variant>;
    constexpr index_t room = 512;
    const auto batch = static_cast<index_t>(lengths.size());
    const index_t kv_heads = heads % 2 == 0 ? heads / 2 : 1;
    attention_data<kernel> data(queries, room, heads, kv_heads, batch);
    auto& args = data.args;
    args.seq_k = lengths.back();
    const index_t each = ceil_div(args.seq_k, page), pages = batch * room / page;
    std::vector<index_t> owned(static_cast<std::size_t>(pages)), table; // rows of each page that are somebody's
    for (index_t b = 0; b < batch; ++b)
        for (index_t p = 0; p < each; ++p) {
            const index_t at = (7 * (b * each + p) + 5) % pages; // 7 has no divisor in common with pages
            const index_t rows = min(lengths[static_cast<std::size_t>(b)] - p * page, page);
            table.push_back(rows > 0 ? at : pages + 9);
            owned[static_cast<std::size_t>(at)] = max(rows, 0);
        }
    args.lengths.key_lengths = lengths.data();
    args.pages = {table.data(), each, page, pages};
    for (auto* x : {&args.k, &args.v}) {
        x->batch_stride = page * x->row_stride;
        for (index_t p = 0; p < pages; ++p)
            for (index_t head = 0; head < kv_heads; ++head)
                for (index_t row = owned[static_cast<std::size_t>(p)]; row < page; ++row)
                    for (index_t column = 0; column < D; ++column)
                        const_cast<T*>(
                            x->data)[p * x->batch_stride + head * x->head_stride + row * x->row_stride + column] =
                            convert<T>(std::numeric_limits<float>::quiet_NaN());
    }
    args.band = {.left = 200, .right = 30};
    check_attention(data);
}

template <class Family>
void check_changed_scores()
{
    using variant = attention_variant<attention_mask::boolean, attention_bias::tensor, attention_weights::dropped>;
    using kernel =
        typename Family::template kernel<bfloat16, 64, 64, variant, float, soft_cap<typename Family::target>>;
    attention_data<kernel> data(130, 300, 2, 1, 2, 56, 64);
    const changed_scores changes(data);
    check_attention(data);
    check_far_bias_and_mask<kernel>([](const auto& far) { check_attention(far); });
}

} // namespace tegula::test
