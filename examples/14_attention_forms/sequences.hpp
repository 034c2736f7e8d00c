#pragma once

// Heads that share keys, sequences of unequal lengths, and keys in pages.

#include "tensors.hpp"

inline bool multi_query(tensors& x)
{
    auto a = x.arguments();
    a.kv_heads = 1; // all heads of Q read the first of K and V
    return compute<plain>("multi-query heads", a);
}

inline bool unequal_lengths(tensors& x)
{
    // Rows of all sequences follow each other: sequence b has the rows [offsets[b], offsets[b + 1]).
    const index_t query_offsets[] = {0, 30, 140}, key_offsets[] = {0, 100, 256};
    auto a = x.arguments();
    a.lengths = {.query_offsets = query_offsets, .key_offsets = key_offsets};
    a.seq_q = 110; // the longest
    a.seq_k = 156;
    a.lse.head_stride = 140;
    if (const status s = check_offsets("key_offsets", key_offsets, batch, a.seq_k, batch * keys); !s)
        return false;
    return compute<plain>("unequal lengths", a);
}

inline bool paged(tensors& x)
{
    // The memory of K and V as four pages of 64 keys; sequence 0 has 128 keys, sequence 1 has 40.
    const index_t table[] = {2, 0, 1, -1}, lengths[] = {128, 40};
    auto a = x.arguments();
    a.k.batch_stride = a.v.batch_stride = 64 * heads * columns; // of pages
    a.pages = {.table = table, .batch_stride = 2, .page_length = 64, .pages = 4};
    a.lengths.key_lengths = lengths;
    if (const status s = check_page_table(a.pages, batch, keys, lengths); !s)
        return false;
    return compute<attention_variant<none, attention_bias::none, attention_weights::all, attention_cache::paged>>(
        "paged cache", a);
}
