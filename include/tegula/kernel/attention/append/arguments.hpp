#pragma once

#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

/// Rotary position embedding (Su et al., "RoFormer", 2021). It rotates the pairs of the first `columns` columns. Row p
/// of two tables has the cosines and the sines of the angles for position p, column i those of pair i:
///     (x, y) becomes (x cos - y sin, y cos + x sin).
struct rotary_embedding
{
    const float* cosines = nullptr; ///< [positions, columns / 2]; null: nothing is rotated
    const float* sines = nullptr;
    long_index_t row_stride = 0; ///< of both tables, in elements; their columns are adjacent
    index_t positions = 0;       ///< rows of both tables; more than the last position that a row gets
    index_t columns = 0;         ///< a multiple of 16, at most head_dim
    bool interleaved = false;    ///< pairs are columns (2 i, 2 i + 1), else (i, i + columns / 2)
};

/// New keys and values of sequences, to append to those in a cache. A rotary embedding can rotate the new keys, and
/// queries at the same positions.
///
///   T  element type of all tensors, of 16 bits
template <class T>
struct attention_append_arguments
{
    long_index_t batch = 1;
    index_t heads = 0;     ///< heads of Q; not read if q is null
    index_t kv_heads = 0;  ///< heads of K and V
    index_t rows = 0;      ///< new rows of each sequence; of the longest one if new_offsets is given
    index_t head_dim = 0;  ///< columns of Q and K
    index_t value_dim = 0; ///< columns of V

    attention_tensor<const T> new_k = {}; ///< [batch, kv_heads, rows, head_dim]
    attention_tensor<const T> new_v = {}; ///< [batch, kv_heads, rows, value_dim]
    attention_tensor<T> k = {};           ///< the cache, [batch, kv_heads, capacity, head_dim], or its pages
    attention_tensor<T> v = {};           ///< [batch, kv_heads, capacity, value_dim]
    index_t capacity = 0;                 ///< rows that a sequence of the cache has room for
    attention_pages pages = {};           ///< table not null: the cache is paged

    const index_t* cached = nullptr; ///< [batch]: rows that each sequence has so far; null: cached_rows each
    index_t cached_rows = 0;
    const index_t* new_offsets =
        nullptr; ///< [batch + 1]: offsets of the rows of Q and new K and V, like those of attention_lengths
    index_t* key_lengths =
        nullptr; ///< [batch], output: rows of each sequence after the append, for attention_lengths; or null

    rotary_embedding rotary = {}; ///< new row i of a sequence has position cached + i
    /// [batch, heads, rows, head_dim]: queries; row i has the position of new row i. Null: none.
    attention_tensor<const T> q = {};
    attention_tensor<T> rotated_q = {}; ///< output: the rotated queries; may be q itself
};

} // namespace tegula
