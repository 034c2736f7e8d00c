#pragma once

/// Pages of any number of keys, on the emulator.

#include "test/kernel/attention/forms.hpp"

#include <numeric>

namespace tegula::test {

/// Sequences of several lengths in pages of so many keys, which lie in no order.
///
///   check  runs a problem and compares
template <class Kernel, class Check>
void check_page_length(index_t page, const Check& check)
{
    INFO("pages of " << page << " keys");
    constexpr index_t keys = 240, batch = 3;
    const index_t each = ceil_div(keys, page), pages = batch * keys / page;
    attention_data<Kernel> data(9, keys, 4, 1, batch);
    auto& args = data.args;
    // The cache has batch * keys rows; where they are not whole pages, the last page of a sequence is one of its first.
    std::vector<index_t> table(static_cast<std::size_t>(batch * each));
    for (std::size_t i = 0; i < table.size(); ++i)
        table[i] = static_cast<index_t>((static_cast<long_index_t>(i) * 7 + 5) % pages);
    const std::vector<index_t> key_lengths = {keys, 5, 130};
    args.lengths.key_lengths = key_lengths.data();
    args.pages = {table.data(), each, page, pages};
    args.k.batch_stride = page * args.k.row_stride;
    args.v.batch_stride = page * args.v.row_stride;
    args.band.right = 0;
    check(data);
}

template <class Target, class T = half>
void check_pages_of_any_length()
{
    using kernel = test_attention<Target, T, 64, 64,
                                  attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                                    attention_cache::paged_by_key>>;
    for (const index_t page : {1, 8, 16, 32, 48, 240})
        check_page_length<kernel>(page, [](auto& data) { check_attention(data); });
}

} // namespace tegula::test
