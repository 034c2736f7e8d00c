#pragma once

#include <tegula/kernel/attention/arguments.hpp>
#include <tegula/kernel/attention/variant.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>

#include <limits>

/// Checks of offsets, lengths, page tables and block lists that lie in host memory. Elsewhere only kernels read them.

namespace tegula {

/// Whether offsets name rows of a tensor: [batch + 1] numbers in host memory, from 0, not decreasing, no sequence
/// longer than `longest`, the last at most `rows`.
///
///   name  how messages call them, such as "query_offsets"
inline status check_offsets(const char* name, const index_t* offsets, long_index_t batch, index_t longest,
                            long_index_t rows)
{
    using gemm_checks::invalid;
    if (offsets[0] != 0)
        return invalid(name) << "[0] is " << offsets[0] << "; the first sequence starts at 0";
    for (long_index_t b = 0; b < batch; ++b) {
        if (offsets[b + 1] < offsets[b])
            return invalid(name) << "[" << b + 1 << "] is " << offsets[b + 1] << ", less than the " << offsets[b]
                                 << " before it; offsets do not decrease";
        if (offsets[b + 1] - offsets[b] > longest)
            return invalid(name) << " give sequence " << b << " " << offsets[b + 1] - offsets[b]
                                 << " rows; the arguments say that the longest has " << longest;
    }
    if (offsets[batch] > rows)
        return invalid(name) << "[" << batch << "] is " << offsets[batch] << ", past the " << rows
                             << " rows of the tensor";
    return {};
}

namespace detail {

/// check_key_lengths of the lengths that length_of(b) gives.
template <class LengthOf>
status check_lengths_of_keys(const LengthOf& length_of, long_index_t batch, index_t seq_k, const index_t* key_offsets)
{
    for (long_index_t b = 0; b < batch; ++b) {
        const index_t length = length_of(b);
        const index_t limit = key_offsets != nullptr ? key_offsets[b + 1] - key_offsets[b] : seq_k;
        if (length < 0 || length > limit)
            return gemm_checks::invalid("key_lengths[")
                   << b << "] is " << length << "; it must be in [0, " << limit << "]";
    }
    return {};
}

} // namespace detail

/// Whether key_lengths [batch], in host memory, are in [0, seq_k] or, if key_offsets are given, within their lengths.
///
///   key_offsets  [batch + 1], checked by check_offsets, or null
inline status check_key_lengths(const index_t* lengths, long_index_t batch, index_t seq_k,
                                const index_t* key_offsets = nullptr)
{
    return detail::check_lengths_of_keys([&](long_index_t b) { return lengths[b]; }, batch, seq_k, key_offsets);
}

/// Whether entries [first, last) of sequence b of a page table name pages in memory.
inline status check_pages_of(const attention_pages& pages, long_index_t b, index_t first, index_t last)
{
    for (index_t p = first; p < last; ++p) {
        const index_t page = pages.table[b * pages.batch_stride + p];
        if (page < 0 || page >= pages.pages)
            return gemm_checks::invalid("page ") << p << " of sequence " << b << " is " << page << "; the cache has "
                                                 << pages.pages << " pages, numbered from 0";
    }
    return {};
}

namespace detail {

/// check_page_table of sequences with the lengths that length_of(b) gives.
template <class LengthOf>
status check_pages_of_keys(const attention_pages& pages, long_index_t batch, const LengthOf& length_of)
{
    if (pages.page_length < 1)
        return gemm_checks::invalid("pages have ") << pages.page_length << " keys; they have at least 1";
    for (long_index_t b = 0; b < batch; ++b)
        if (status s = check_pages_of(pages, b, 0, ceil_div(length_of(b), pages.page_length)); !s)
            return s;
    return {};
}

} // namespace detail

/// Whether a page table names pages in memory: entries [b, p] in [0, pages.pages) for all pages that sequence b has
/// keys in. Entries past those are not looked at.
///
///   pages        with `table` in host memory
///   key_lengths  [batch] in host memory, or null: seq_k each
inline status check_page_table(const attention_pages& pages, long_index_t batch, index_t seq_k,
                               const index_t* key_lengths = nullptr)
{
    return detail::check_pages_of_keys(pages, batch,
                                       [&](long_index_t b) { return key_lengths != nullptr ? key_lengths[b] : seq_k; });
}

/// Whether block lists name blocks of keys: counts in [0, capacity], numbers increasing and in range.
///
///   lists                  with `counts` and `blocks` in host memory
///   batch, heads           how many of each the lists are for; 1 if a stride is 0
///   side                   how messages call the blocks that have a list each
inline status check_block_lists(const attention_block_lists& lists, long_index_t batch, index_t heads, index_t seq_q,
                                index_t seq_k, const char* side = "query")
{
    using gemm_checks::invalid;
    if (lists.query_length < 1 || lists.key_length < 1)
        return invalid("block lists are of blocks of ")
               << lists.query_length << " queries and " << lists.key_length << " keys; both must be at least 1";
    const index_t rows = ceil_div(seq_q, lists.query_length), columns = ceil_div(seq_k, lists.key_length);
    for (long_index_t b = 0; b < batch; ++b)
        for (index_t h = 0; h < heads; ++h)
            for (index_t i = 0; i < rows; ++i) {
                const long_index_t list = b * lists.batch_stride + h * lists.head_stride + i;
                const index_t count = lists.counts[list];
                if (count < 0 || count > lists.capacity)
                    return invalid("the list of ")
                           << side << " block " << i << " (sequence " << b << ", head " << h << ") has " << count
                           << " blocks; the capacity is " << lists.capacity;
                for (index_t n = 0; n < count; ++n) {
                    const index_t block = lists.blocks[list * lists.capacity + n];
                    const index_t least = n == 0 ? 0 : lists.blocks[list * lists.capacity + n - 1] + 1;
                    if (block < least || block >= columns)
                        return invalid("the list of ")
                               << side << " block " << i << " (sequence " << b << ", head " << h << ") has block "
                               << block << " at place " << n << "; it must be in [" << least << ", " << columns << ")";
                }
            }
    return {};
}

/// Checks all of these numbers that kernels of the variant read, if they are in host memory, as on CPUs and the
/// emulator. Arguments need not say how many rows the tensors have.
///
///   length_of(b)  keys of sequence b, in the place of key_lengths
template <class Variant, class Arguments, class LengthOf>
status check_numbers_in_memory(const Arguments& a, const LengthOf& length_of)
{
    constexpr long_index_t any = std::numeric_limits<index_t>::max();
    const attention_lengths& l = a.lengths;
    const auto limit = [](index_t rows) { return rows > 0 ? long_index_t{rows} : any; };
    status s;
    if (l.query_offsets != nullptr)
        s = check_offsets("query_offsets", l.query_offsets, a.batch, a.seq_q, limit(l.query_rows));
    if (s && l.key_offsets != nullptr)
        s = check_offsets("key_offsets", l.key_offsets, a.batch, a.seq_k, limit(l.key_rows));
    if (s)
        s = detail::check_lengths_of_keys(length_of, a.batch, a.seq_k, l.key_offsets);
    if constexpr (Variant::in_pages)
        if (s)
            s = detail::check_pages_of_keys(a.pages, a.batch, length_of);
    if constexpr (Variant::mask == attention_mask::lists)
        if (s)
            s = check_block_lists(a.lists, a.lists.batch_stride == 0 ? 1 : a.batch,
                                  a.lists.head_stride == 0 ? 1 : a.heads, a.seq_q, a.seq_k);
    return s;
}

template <class Variant, class Arguments>
status check_numbers_in_memory(const Arguments& a)
{
    const attention_lengths& l = a.lengths;
    return check_numbers_in_memory<Variant>(a, [&](long_index_t b) {
        if (l.key_lengths != nullptr)
            return l.key_lengths[b];
        return l.key_offsets != nullptr ? l.key_offsets[b + 1] - l.key_offsets[b] : a.seq_k;
    });
}

/// Checks the numbers in memory of a backward pass, with its block lists by keys.
template <class Variant, class Arguments>
status check_gradient_numbers_in_memory(const Arguments& b)
{
    const auto& a = b.forward;
    if (status s = check_numbers_in_memory<Variant>(a); !s || Variant::mask != attention_mask::lists)
        return s;
    attention_block_lists lists = b.lists_by_keys; // keys take the place of queries in check_block_lists
    lists.query_length = b.lists_by_keys.key_length;
    lists.key_length = b.lists_by_keys.query_length;
    return check_block_lists(lists, lists.batch_stride == 0 ? 1 : a.batch, lists.head_stride == 0 ? 1 : a.heads,
                             a.seq_k, a.seq_q, "key");
}

} // namespace tegula
