#pragma once

#include <tegula/core/number_traits.hpp>
#include <tegula/kernel/attention/arguments.hpp>
#include <tegula/kernel/attention/numbers_in_memory.hpp>
#include <tegula/kernel/attention/places.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>

/// Bad input is refused in a sentence before anything runs: lengths, strides and pointers by can_implement; what lies in
/// the arrays that kernels read (offsets, lengths of sequences, page tables, block lists) by numbers_in_memory.hpp.

namespace tegula {

namespace attention_checks {

using gemm_checks::absolute;
using gemm_checks::invalid;

/// An array [lengths...] that is read.
template <class T, int Rank>
status check_array(const char* name, T* data, const long_index_t (&lengths)[Rank], const long_index_t (&strides)[Rank])
{
    for (const long_index_t length : lengths)
        if (length == 0)
            return {};
    if (data == nullptr)
        return invalid(name) << " is a null pointer";
    if (!gemm_checks::is_aligned(data, alignof(T)))
        return invalid(name) << " is not aligned to its elements of " << static_cast<int>(sizeof(T)) << " bytes";
    if (!gemm_checks::has_extent(lengths, strides, sizeof(T)))
        return invalid(name) << " with these strides reaches past 2^63 bytes; use smaller strides";
    return {};
}

/// An array [lengths...] that is written: no element may lie on another.
template <class T, int Rank>
status check_written(const char* name, T* data, const long_index_t (&lengths)[Rank],
                     const long_index_t (&strides)[Rank])
{
    for (const long_index_t length : lengths)
        if (length == 0)
            return {};
    if (status s = check_array(name, data, lengths, strides); !s)
        return s;
    bool done[Rank] = {};
    long_index_t extent = 1; // elements of the dimensions done, from the densest outward
    for (int step = 0; step < Rank; ++step) {
        int next = -1;
        for (int i = 0; i < Rank; ++i)
            if (!done[i] && (next < 0 || absolute(strides[i]) < absolute(strides[next]) ||
                             (absolute(strides[i]) == absolute(strides[next]) && lengths[i] < lengths[next])))
                next = i;
        done[next] = true;
        if (lengths[next] == 1)
            continue;
        if (absolute(strides[next]) < extent)
            return invalid(name) << " has a stride of " << strides[next] << " over " << lengths[next]
                                 << " elements that lie on each other; it must be at least " << extent;
        extent += (lengths[next] - 1) * absolute(strides[next]);
    }
    return {};
}

/// The lengths [batch, heads, rows, columns] of a tensor in the order of its strides.
struct shape
{
    long_index_t batch, heads, rows, columns;
};

template <class T>
status check_read(const char* name, const attention_tensor<T>& x, const shape& s)
{
    return check_array<T, 4>(name, x.data, {s.batch, s.heads, s.rows, s.columns},
                             {x.batch_stride, x.head_stride, x.row_stride, 1});
}
template <class T>
status check_written(const char* name, const attention_tensor<T>& x, const shape& s)
{
    return check_written<T, 4>(name, x.data, {s.batch, s.heads, s.rows, s.columns},
                               {x.batch_stride, x.head_stride, x.row_stride, 1});
}

inline status check_lengths(long_index_t batch, long_index_t heads, long_index_t seq_q, long_index_t seq_k)
{
    const char* const names[] = {"batch", "heads", "seq_q", "seq_k"};
    const long_index_t lengths[] = {batch, heads, seq_q, seq_k};
    for (int i = 0; i < 4; ++i)
        if (status s = gemm_checks::check_size(names[i], lengths[i]); !s)
            return s;
    return {};
}

inline status check_head_dims(index_t head_dim, index_t value_dim)
{
    if (head_dim < 1 || value_dim < 1)
        return invalid("head_dim is ") << head_dim << " and value_dim " << value_dim << "; both must be at least 1";
    if (head_dim > 576 || value_dim > 512)
        return status(status_code::unsupported, "head_dim is ")
               << head_dim << " and value_dim " << value_dim << "; kernels are for up to 576 and 512";
    return {};
}

inline status check_scale(const char* name, const attention_scale& x, long_index_t batch, long_index_t heads,
                          long_index_t rows)
{
    if (x.data == nullptr)
        return {};
    if (x.block_rows < 0)
        return invalid(name) << " is by blocks of " << x.block_rows << " rows; give at least 1, or 0 for all rows";
    const long_index_t blocks = x.block_rows == 0 ? 1 : ceil_div(rows, long_index_t{x.block_rows});
    return check_array<const float, 3>(name, x.data, {batch, heads, blocks},
                                       {x.batch_stride, x.head_stride, x.block_stride});
}

inline status check_lists(const char* name, const attention_block_lists& x, long_index_t batch, long_index_t heads,
                          long_index_t length, index_t block)
{
    if (x.query_length < 1 || x.key_length < 1)
        return invalid(name) << " are of blocks of " << x.query_length << " queries and " << x.key_length
                             << " keys; both must be at least 1";
    if (x.capacity < 0)
        return invalid(name) << " have room for " << x.capacity << " blocks each; the least is 0";
    const long_index_t blocks = ceil_div(length, long_index_t{block});
    if (status s =
            check_array<const index_t, 3>(name, x.counts, {batch, heads, blocks}, {x.batch_stride, x.head_stride, 1});
        !s)
        return s;
    return check_array<const index_t, 3>(name, x.blocks, {batch, heads, blocks * x.capacity},
                                         {x.batch_stride * x.capacity, x.head_stride * x.capacity, 1});
}

template <class T>
status check_scores(const char* name, const T& x, long_index_t batch, long_index_t heads, long_index_t seq_q,
                    long_index_t seq_k)
{
    return check_array(name, x.data, {batch, heads, seq_q, seq_k},
                       {x.batch_stride, x.head_stride, x.query_stride, x.key_stride});
}

/// Whether vectors of 16 bytes reach every row. Strides over one element say nothing.
template <class T>
bool has_vector_rows(const attention_tensor<T>& x, long_index_t batch, long_index_t heads, long_index_t rows)
{
    constexpr long_index_t vector = 16 / static_cast<long_index_t>(sizeof(T));
    return gemm_checks::is_aligned(x.data, 16) && (batch <= 1 || x.batch_stride % vector == 0) &&
           (heads <= 1 || x.head_stride % vector == 0) && (rows <= 1 || x.row_stride % vector == 0);
}

/// has_vector_rows for a tensor that holds sequences one after the other, if there are offsets. Rows then start
/// anywhere in it, and its batch stride is not used.
template <class T>
bool has_vector_rows(const attention_tensor<T>& x, const index_t* offsets, long_index_t batch, long_index_t heads,
                     long_index_t rows)
{
    return offsets != nullptr ? has_vector_rows(x, 1, heads, max(batch, rows)) : has_vector_rows(x, batch, heads, rows);
}

inline status check_band(const attention_band& band)
{
    if (band.prefix < 0)
        return invalid("the prefix has ") << band.prefix << " keys; the least is 0";
    return {};
}

/// Whether all rows of a tile lie within reach of a lane's offset, a number of bytes in 32 bits. It has no sign for the
/// buffer loads of AMD.
///
///   Loader  a sequence_loader or a panel_loader
template <class T, class Loader>
status check_reach(const char* name, long_index_t row_stride, long_index_t rows)
{
    const long_index_t reach = 0x7fffffff / static_cast<long_index_t>(sizeof(T)) / rows;
    if (row_stride < -reach || row_stride > reach)
        return status(status_code::unsupported, "rows of ")
               << name << " are " << row_stride << " elements apart; " << rows << " of them must lie within 2^31 bytes";
    if (Loader::buffered && row_stride < 0)
        return status(status_code::unsupported, "rows of ") << name << " are " << row_stride
                                                            << " elements apart; kernels for AMD read rows in rising "
                                                               "order: copy the tensor so that its rows rise";
    return {};
}

} // namespace attention_checks

/// Whether the arguments describe an attention that can be computed by kernels of this variant. The arrays they point
/// to are not read.
template <class Variant, class T, class O, class Score>
status can_implement(const attention_arguments<T, O, Score>& a)
{
    namespace checks = attention_checks;
    if (status s = checks::check_lengths(a.batch, a.heads, a.seq_q, a.seq_k); !s)
        return s;
    if (a.kv_heads < 0 || (a.heads > 0 && (a.kv_heads == 0 || a.heads % a.kv_heads != 0)))
        return checks::invalid("Q has ") << a.heads << " heads and K " << a.kv_heads
                                         << "; the heads of Q must be a multiple of those of K";
    if (status s = checks::check_head_dims(a.head_dim, a.value_dim); !s)
        return s;
    if (!(a.scale - a.scale == 0.0f))
        return checks::invalid("the scale is infinite or not a number; it must be finite");

    // If lengths vary, the extent is in arrays that only kernels read: one sequence is checked.
    const bool paged = Variant::in_pages;
    const long_index_t batch_q = a.lengths.query_offsets != nullptr ? (a.batch > 0) : a.batch;
    const long_index_t batch_k = paged ? a.pages.pages : a.lengths.key_offsets != nullptr ? (a.batch > 0) : a.batch;
    const long_index_t rows_k = paged ? a.pages.page_length : a.seq_k;
    if (paged) {
        if (a.lengths.key_offsets != nullptr)
            return checks::invalid("a paged cache has a page table, not key offsets; pass key_lengths alone");
        if (a.pages.page_length < 1 || a.pages.pages < 0)
            return checks::invalid("the cache has ")
                   << a.pages.pages << " pages of " << a.pages.page_length << " keys; the least is 0 pages of 1 key";
        const long_index_t pages = ceil_div(long_index_t{a.seq_k}, long_index_t{a.pages.page_length});
        if (status s = checks::check_array<const index_t, 2>("the page table", a.pages.table, {a.batch, pages},
                                                             {a.pages.batch_stride, 1});
            !s)
            return s;
    }
    if (status s = checks::check_read("Q", a.q, {batch_q, a.heads, a.seq_q, a.head_dim}); !s)
        return s;
    if (status s = checks::check_read("K", a.k, {batch_k, a.kv_heads, rows_k, a.head_dim}); !s)
        return s;
    if (status s = checks::check_read("V", a.v, {batch_k, a.kv_heads, rows_k, a.value_dim}); !s)
        return s;
    if (status s = checks::check_written("O", a.o, {batch_q, a.heads, a.seq_q, a.value_dim}); !s)
        return s;
    if (a.lse.data != nullptr)
        if (status s = checks::check_written<float, 3>("lse", a.lse.data, {batch_q, a.heads, a.seq_q},
                                                       {a.lse.batch_stride, a.lse.head_stride, 1});
            !s)
            return s;
    if constexpr (sizeof(T) == 1) {
        if (status s = checks::check_scale("the scale of Q", a.q_scale, a.batch, a.heads, a.seq_q); !s)
            return s;
        if (status s = checks::check_scale("the scale of K", a.k_scale, a.batch, a.kv_heads, a.seq_k); !s)
            return s;
        if (status s = checks::check_scale("the scale of V", a.v_scale, a.batch, a.kv_heads, a.seq_k); !s)
            return s;
    }
    if constexpr (Variant::mask != attention_mask::none)
        if (status s = checks::check_band(a.band); !s)
            return s;
    if constexpr (Variant::mask == attention_mask::lists)
        if (status s = checks::check_lists("the block lists", a.lists, a.batch, a.heads, a.seq_q, a.lists.query_length);
            !s)
            return s;
    if constexpr (Variant::mask == attention_mask::boolean)
        if (status s = checks::check_scores("the mask", a.boolean, a.batch, a.heads, a.seq_q, a.seq_k); !s)
            return s;
    if constexpr (Variant::bias == attention_bias::tensor)
        if (status s = checks::check_scores("the bias", a.bias, a.batch, a.heads, a.seq_q, a.seq_k); !s)
            return s;
    if constexpr (Variant::bias == attention_bias::alibi)
        if (status s = checks::check_array<const float, 2>("the list of slopes", a.alibi.slopes, {a.batch, a.heads},
                                                           {a.alibi.batch_stride, 1});
            !s)
            return s;
    if (Variant::dropout && a.dropout.threshold >= 65536)
        return checks::invalid("the dropout has the threshold ")
               << static_cast<long>(a.dropout.threshold) << "; take one below 65536, a probability from 0 to below 1";
    return {};
}

namespace attention_checks {

/// Whether the queries of the heads that share keys are rows of one tile.
template <class Tile, class T, class O, class Score>
status check_packed_heads(const attention_arguments<T, O, Score>& a)
{
    const auto unsupported = [](const char* text) { return status(status_code::unsupported, text); };
    const long_index_t group = a.kv_heads > 0 ? a.heads / a.kv_heads : 1;
    constexpr long_index_t most = 0x7fffffff;
    if (a.seq_q * group > most - Tile::queries)
        return unsupported("packed heads make ") << a.seq_q * group << " rows of queries; the limit is "
                                                 << most - Tile::queries << ", take a kernel with heads apart";
    if (a.q.row_stride < 0 || a.q.head_stride < 0)
        return unsupported("Q has a stride of ")
               << min(a.q.row_stride, a.q.head_stride) << "; packed heads need strides from 0";
    const long_index_t queries = Tile::queries / group + 1;
    const long_index_t limit = most / static_cast<long_index_t>(sizeof(T)) - Tile::head_dim;
    if (a.q.row_stride > limit / queries || a.q.head_stride > limit / group ||
        queries * a.q.row_stride + group * a.q.head_stride > limit)
        return unsupported("Q has rows ") << a.q.row_stride << " elements apart and heads " << a.q.head_stride
                                          << " apart; those of a tile of packed heads must lie within 2^31 bytes";
    return {};
}

/// Whether the tile has the columns of the problem.
template <class Tile, class Arguments>
status check_columns(const Arguments& a)
{
    if (a.head_dim <= Tile::head_dim && a.value_dim <= Tile::value_dim)
        return {};
    return status(status_code::unsupported, "head_dim is ")
           << a.head_dim << " and value_dim " << a.value_dim << "; the tile is for up to " << Tile::head_dim << " and "
           << Tile::value_dim << ", use a larger one";
}

} // namespace attention_checks

/// Whether kernels of a tile take arguments that can_implement accepts: head dimensions and lengths of blocks and pages
/// that the tile has room for, and rows of Q, K, V and O that vectors of 16 bytes reach.
template <class Tile, class Variant, class T, class O, class Score>
status suits_tile(const attention_arguments<T, O, Score>& a)
{
    namespace checks = attention_checks;
    const auto unsupported = [](const char* text) { return status(status_code::unsupported, text); };
    if (status s = checks::check_columns<Tile>(a); !s)
        return s;
    constexpr index_t vector = 16 / static_cast<index_t>(sizeof(T));
    if (a.head_dim % vector != 0 || a.value_dim % vector != 0)
        return unsupported("head_dim is ")
               << a.head_dim << " and value_dim " << a.value_dim << "; both must be multiples of " << vector
               << ": add columns of zeros to Q and K, or to V";
    const long_index_t batch_k = Variant::in_pages ? a.pages.pages : a.batch;
    const index_t *const of_queries = a.lengths.query_offsets, *const of_keys = a.lengths.key_offsets;
    const bool rows = checks::has_vector_rows(a.q, of_queries, a.batch, a.heads, a.seq_q) &&
                      checks::has_vector_rows(a.o, of_queries, a.batch, a.heads, a.seq_q) &&
                      checks::has_vector_rows(a.k, of_keys, batch_k, a.kv_heads, a.seq_k) &&
                      checks::has_vector_rows(a.v, of_keys, batch_k, a.kv_heads, a.seq_k);
    if (!rows)
        return unsupported("a row of Q, K, V or O does not start at a multiple of 16 bytes; all of them must");
    if constexpr (Tile::key_values == key_value_place::same)
        if (!values_are_keys(a))
            return unsupported("V is a tensor of its own; this tile reads it from the first columns of K: pass K's "
                               "pointer and strides for V");
    constexpr bool packed = Variant::heads == attention_heads::packed;
    if (status s = packed ? checks::check_packed_heads<Tile>(a)
                          : checks::check_reach<T, typename Tile::query_loader>("Q", a.q.row_stride, Tile::queries);
        !s)
        return s;
    if (status s = checks::check_reach<T, typename Tile::key_loader>("K", a.k.row_stride, Tile::keys); !s)
        return s;
    if (status s = checks::check_reach<T, typename Tile::value_loader>("V", a.v.row_stride, Tile::keys); !s)
        return s;
    if constexpr (sizeof(T) == 1)
        for (const attention_scale* s : {&a.k_scale, &a.v_scale})
            if (s->data != nullptr && s->block_rows % Tile::keys != 0)
                return unsupported("the scale of ")
                       << (s == &a.k_scale ? "K" : "V") << " is by blocks of " << s->block_rows
                       << " rows; it must be a multiple of the tile's " << Tile::keys << ", or 0 for all rows";
    if (Variant::mask == attention_mask::lists &&
        (a.lists.query_length % Tile::queries != 0 || a.lists.key_length % Tile::keys != 0))
        return unsupported("block lists are of ")
               << a.lists.query_length << " queries and " << a.lists.key_length
               << " keys; they must be multiples of the tile's " << Tile::queries << " and " << Tile::keys;
    if constexpr (Variant::cache == attention_cache::paged) {
        if constexpr (requires { Tile::page_keys; }) {
            if (a.pages.page_length % Tile::page_keys != 0)
                return unsupported("pages have ")
                       << a.pages.page_length << " keys; tensor copies take a multiple of " << Tile::page_keys
                       << ", and an attention_kernel of attention_cache::paged_by_key any";
        } else if (a.pages.page_length % Tile::keys != 0) {
            return unsupported("pages have ") << a.pages.page_length << " keys; it must be a multiple of the tile's "
                                              << Tile::keys << ", or the cache attention_cache::paged_by_key";
        }
    }
    return {};
}

/// Whether the arguments describe gradients that can be computed by kernels of this variant.
template <class Variant, class T, class O, class Gradient, class Score>
status can_implement(const attention_backward_arguments<T, O, Gradient, Score>& b)
{
    namespace checks = attention_checks;
    const attention_arguments<T, O, Score>& a = b.forward;
    if (status s = can_implement<Variant>(a); !s)
        return s;
    if (Variant::in_pages)
        return {status_code::unsupported, "a paged cache has no backward pass; pass K and V as tensors"};
    const long_index_t batch_q = a.lengths.query_offsets != nullptr ? (a.batch > 0) : a.batch;
    const long_index_t batch_k = a.lengths.key_offsets != nullptr ? (a.batch > 0) : a.batch;
    if (a.lse.data == nullptr && batch_q > 0 && a.heads > 0 && a.seq_q > 0)
        return checks::invalid("lse is a null pointer; the backward pass reads what the forward pass wrote there");
    if (status s = checks::check_read("dO", b.d_o, {batch_q, a.heads, a.seq_q, a.value_dim}); !s)
        return s;
    if (status s = checks::check_written("dQ", b.dq, {batch_q, a.heads, a.seq_q, a.head_dim}); !s)
        return s;
    if (status s = checks::check_written("dK", b.dk, {batch_k, a.kv_heads, a.seq_k, a.head_dim}); !s)
        return s;
    if (status s = checks::check_written("dV", b.dv, {batch_k, a.kv_heads, a.seq_k, a.value_dim}); !s)
        return s;
    if constexpr (Variant::mask == attention_mask::lists) {
        if (b.lists_by_keys.query_length != a.lists.query_length || b.lists_by_keys.key_length != a.lists.key_length)
            return checks::invalid("the block lists by keys are of ")
                   << b.lists_by_keys.query_length << " queries and " << b.lists_by_keys.key_length
                   << " keys; those of the forward pass are of " << a.lists.query_length << " and "
                   << a.lists.key_length << ", and both must name the same blocks";
        if (status s = checks::check_lists("the block lists by keys", b.lists_by_keys, a.batch, a.heads, a.seq_k,
                                           b.lists_by_keys.key_length);
            !s)
            return s;
    }
    if (b.d_bias.data != nullptr) {
        if constexpr (Variant::bias != attention_bias::tensor)
            return checks::invalid("d_bias is asked for, but there is no bias; leave it null");
        // A dimension of stride 0 is summed.
        const auto written = [](long_index_t length, long_index_t stride) { return stride == 0 ? 1 : length; };
        const auto& x = b.d_bias;
        if (status s =
                checks::check_written<float, 4>("d_bias", x.data,
                                                {written(a.batch, x.batch_stride), written(a.heads, x.head_stride),
                                                 written(a.seq_q, x.query_stride), written(a.seq_k, x.key_stride)},
                                                {x.batch_stride, x.head_stride, x.query_stride, x.key_stride});
            !s)
            return s;
    }
    if (b.d_sinks != nullptr && a.sinks == nullptr)
        return checks::invalid("d_sinks is asked for, but there are no sinks; leave it null");
    return {};
}

} // namespace tegula
