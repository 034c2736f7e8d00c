#pragma once

#include <tegula/kernel/attention/append/arguments.hpp>
#include <tegula/kernel/attention/can_implement.hpp>
#include <tegula/kernel/attention/numbers_in_memory.hpp>
#include <tegula/kernel/attention/sequence.hpp>

namespace tegula {

namespace attention_checks {

inline status check_rotary(const rotary_embedding& r, index_t head_dim, long_index_t last)
{
    if (r.cosines == nullptr && r.sines == nullptr)
        return {};
    if (r.columns < 16 || r.columns % 16 != 0 || r.columns > head_dim)
        return status(status_code::unsupported, "the rotary embedding rotates ")
               << r.columns << " columns; it must be a multiple of 16 from 16 to head_dim, " << head_dim;
    if (r.positions < last)
        return invalid("the tables of cosines and sines have ")
               << r.positions << " positions; rows of the cache come to " << last;
    for (const float* table : {r.cosines, r.sines}) {
        const char* const name = table == r.cosines ? "the table of cosines" : "the table of sines";
        if (status s = check_array<const float, 2>(name, table, {r.positions, r.columns / 2}, {r.row_stride, 1}); !s)
            return s;
        if (!gemm_checks::is_aligned(table, 16) || r.row_stride % 4 != 0)
            return status(status_code::unsupported, "a row of ")
                   << name << " does not start at a multiple of 16 bytes; all of them must";
    }
    return {};
}

} // namespace attention_checks

/// Whether the arguments describe rows that an append_kernel of so many columns can append. The arrays they point to are
/// not read: see check_append_numbers_in_memory.
template <class Kernel>
status can_append(const typename Kernel::arguments& a)
{
    namespace checks = attention_checks;
    using checks::invalid;
    const auto unsupported = [](const char* text) { return status(status_code::unsupported, text); };
    if (status s = checks::check_lengths(a.batch, a.kv_heads, a.rows, a.capacity); !s)
        return s;
    if (a.q.data != nullptr && a.heads < 0)
        return invalid("heads is ") << a.heads << "; sizes start at 0";
    if (status s = checks::check_head_dims(a.head_dim, a.value_dim); !s)
        return s;
    if (a.head_dim > Kernel::columns || a.value_dim > Kernel::columns)
        return unsupported("head_dim is ") << a.head_dim << " and value_dim " << a.value_dim
                                           << "; the kernel is for up to " << Kernel::columns << ", use a larger one";
    if (a.head_dim % 8 != 0 || a.value_dim % 8 != 0)
        return unsupported("head_dim is ")
               << a.head_dim << " and value_dim " << a.value_dim << "; both must be multiples of 8";
    if (a.cached == nullptr && (a.cached_rows < 0 || a.cached_rows > a.capacity ||
                                (a.new_offsets == nullptr && a.rows > a.capacity - a.cached_rows)))
        return invalid("the cache has ") << a.cached_rows << " rows and gets " << a.rows
                                         << " new ones; it has room for " << a.capacity;
    const bool paged = a.pages.table != nullptr;
    const long_index_t batch_q = a.new_offsets != nullptr ? (a.batch > 0) : a.batch;
    const long_index_t batch_k = paged ? a.pages.pages : a.batch;
    const long_index_t rows_k = paged ? a.pages.page_length : a.capacity;
    if (paged && (a.pages.page_length < 1 || a.pages.pages < 0))
        return unsupported("the cache has ")
               << a.pages.pages << " pages of " << a.pages.page_length << " rows; the least is 0 pages of 1 row";
    if (status s = checks::check_read("the new K", a.new_k, {batch_q, a.kv_heads, a.rows, a.head_dim}); !s)
        return s;
    if (status s = checks::check_read("the new V", a.new_v, {batch_q, a.kv_heads, a.rows, a.value_dim}); !s)
        return s;
    if (a.rows > 0) { // else nothing is written
        if (status s = checks::check_written("K", a.k, {batch_k, a.kv_heads, rows_k, a.head_dim}); !s)
            return s;
        if (status s = checks::check_written("V", a.v, {batch_k, a.kv_heads, rows_k, a.value_dim}); !s)
            return s;
    }
    if (a.q.data != nullptr)
        if (status s = checks::check_written("the rotated Q", a.rotated_q, {batch_q, a.heads, a.rows, a.head_dim}); !s)
            return s;
    const auto rows = [&](const auto& x, long_index_t batch, index_t heads, long_index_t count) {
        return checks::has_vector_rows(x, batch, heads, count);
    };
    if (!(rows(a.new_k, batch_q, a.kv_heads, a.rows) && rows(a.new_v, batch_q, a.kv_heads, a.rows) &&
          rows(a.k, batch_k, a.kv_heads, rows_k) && rows(a.v, batch_k, a.kv_heads, rows_k) &&
          (a.q.data == nullptr ||
           (rows(a.q, batch_q, a.heads, a.rows) && rows(a.rotated_q, batch_q, a.heads, a.rows)))))
        return unsupported("a row of K, V or Q, new or in the cache, does not start at a multiple of 16 bytes; all of "
                           "them must");
    return checks::check_rotary(a.rotary, a.head_dim,
                                a.cached == nullptr ? long_index_t{a.cached_rows} + a.rows : long_index_t{a.capacity});
}

/// Whether sequence b, of `cached` rows, has room for `count` more.
inline status check_appended_row_count(long_index_t b, index_t cached, index_t count, index_t capacity)
{
    if (cached < 0 || cached > capacity - count)
        return gemm_checks::invalid("sequence ") << b << " of the cache has " << cached << " rows and gets " << count
                                                 << " new ones; it has room for " << capacity;
    return {};
}

/// The rows [first, last) that the append adds to sequence b. Arrays are in host memory.
template <class T>
key_range appended_rows(const attention_append_arguments<T>& a, long_index_t b)
{
    const index_t cached = a.cached != nullptr ? a.cached[b] : a.cached_rows;
    return {cached, cached + (a.new_offsets != nullptr ? a.new_offsets[b + 1] - a.new_offsets[b] : a.rows)};
}

/// Checks the arrays that the arguments name, in host memory: new_offsets by check_offsets, the room for new rows by
/// check_appended_row_count and, in a page table, the pages that get rows.
template <class T>
status check_append_numbers_in_memory(const attention_append_arguments<T>& a)
{
    constexpr long_index_t any = std::numeric_limits<index_t>::max();
    status s;
    if (a.new_offsets != nullptr)
        s = check_offsets("new_offsets", a.new_offsets, a.batch, a.rows, any);
    for (long_index_t b = 0; s && b < a.batch; ++b) {
        const key_range rows = appended_rows(a, b);
        s = check_appended_row_count(b, rows.first, rows.last - rows.first, a.capacity);
        if (s && a.pages.table != nullptr && rows.last > rows.first)
            s = check_pages_of(a.pages, b, rows.first / a.pages.page_length, ceil_div(rows.last, a.pages.page_length));
    }
    return s;
}

} // namespace tegula
