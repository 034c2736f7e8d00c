#pragma once

#include <tegula/kernel/attention/variant.hpp>

/// The run-time values of attention kernels. Pointers are the device's; lengths, strides and positions count elements.

namespace tegula {

/// A tensor [batch, heads, rows, columns] whose columns are neighbours. If the lengths of sequences vary, the rows
/// of all sequences follow each other and batch_stride is not read; if the cache is paged, batch_stride is the
/// distance of pages.
template <class T>
struct attention_tensor
{
    T* data = nullptr;
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
    long_index_t row_stride = 0;
};

/// Numbers [batch, heads, rows], one a query; rows are neighbours. If lengths vary, as in attention_tensor.
template <class T>
struct attention_rows
{
    T* data = nullptr;
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
};

/// The factors of 8-bit inputs: one number for a tensor (all strides 0), a head, or a block of rows.
struct attention_scale
{
    const float* data = nullptr; ///< [batch, heads, ceil(rows / block_rows)]; null: 1
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
    long_index_t block_stride = 0;
    index_t block_rows = 0; ///< rows that share a number; 0: all
};

/// Which key stands at the diagonal of query i.
enum class attention_diagonal {
    bottom_right, ///< key i + seq_k - seq_q: the last query sees the last key
    top_left,     ///< key i
};

/// A band of keys about the diagonal, and the first keys. With diagonal key c, query i sees key j if
///     c - left <= j <= c + right   or   j < prefix.
/// Causal: right = 0. Sliding window: both. Negative: no limit on that side.
struct attention_band
{
    index_t left = -1;
    index_t right = -1;
    attention_diagonal diagonal = attention_diagonal::bottom_right;
    index_t prefix = 0;                      ///< of every sequence
    const index_t* prefix_lengths = nullptr; ///< [batch]; not null: of each sequence, instead of `prefix`
};

/// Which blocks of keys a block of queries sees. Blocks count from the start of each sequence; the last may be partial.
struct attention_block_lists
{
    const index_t* counts = nullptr; ///< [batch, heads, query blocks]: blocks of keys it sees
    const index_t* blocks = nullptr; ///< [batch, heads, query blocks, capacity]: their numbers, increasing
    long_index_t batch_stride = 0;   ///< of counts, and in units of `capacity` of blocks; 0: shared
    long_index_t head_stride = 0;
    index_t capacity = 0;     ///< most blocks of one list
    index_t query_length = 0; ///< queries of a block; a multiple of the tile's queries
    index_t key_length = 0;   ///< keys of a block; a multiple of the tile's keys
};

/// A mask [batch, heads, seq_q, seq_k] of bytes; stride 0 repeats. Not 0: the query sees the key.
struct attention_boolean_mask
{
    const unsigned char* data = nullptr;
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
    long_index_t query_stride = 0;
    long_index_t key_stride = 1;
};

/// A bias [batch, heads, seq_q, seq_k]; stride 0 repeats, as for one number a head or one row a key. T is float, or
/// const float if it is read alone.
template <class T>
struct attention_bias_tensor
{
    T* data = nullptr;
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
    long_index_t query_stride = 0;
    long_index_t key_stride = 1;
};

/// Adds -slope * |c - j| to the score of query i and key j, c as in attention_band.
struct attention_alibi
{
    const float* slopes = nullptr; ///< [batch, heads], heads are neighbours
    long_index_t batch_stride = 0;
};

/// Drops probabilities: each is kept with chance 1 - p and multiplied by 1 / (1 - p), the same in the backward pass
/// whatever the kernels' tiles: see dropout.hpp.
struct attention_dropout
{
    std::uint32_t threshold = 0; ///< 65536 p, in [0, 65536); see make_dropout
    std::uint32_t offset = 0;    ///< of the generator: another one for each call with the same seed
    std::uint64_t seed = 0;
};

/// Sequences of unequal lengths. Null pointers: all have seq_q queries and seq_k keys.
struct attention_lengths
{
    /// [batch + 1], not decreasing, from 0: sequence b has the rows [offsets[b], offsets[b + 1]) of Q and O (and of lse).
    const index_t* query_offsets = nullptr;
    /// [batch + 1], likewise for K and V; not with a paged cache.
    const index_t* key_offsets = nullptr;
    /// [batch]: keys of each sequence, from its first row; at most seq_k, or what key_offsets leaves.
    const index_t* key_lengths = nullptr;
    /// Rows of Q and O, and of K and V, in all: query_offsets[batch] and key_offsets[batch]. Read by kernels by tensor copies
    /// alone, and only where the offsets are given.
    index_t query_rows = 0;
    index_t key_rows = 0;
};

/// A paged cache: keys [p * page_length, (p + 1) * page_length) of sequence b are the rows of page table[b, p].
struct attention_pages
{
    const index_t* table = nullptr; ///< [batch, pages of a sequence]
    long_index_t batch_stride = 0;
    index_t page_length =
        0;             ///< rows of a page; a multiple of the tile's keys, or any with attention_cache::paged_by_key
    index_t pages = 0; ///< pages in memory; those of a table are in [0, pages)
};

/// O = dropout(softmax(S)) V with S = score(scale Q K^T) + bias if the mask shows the key, else -inf, for every
/// sequence of a batch and every head. Head h reads the keys and values of head h / (heads / kv_heads).
///
///   T      element type of Q, K and V
///   O      element type of the output
///   Score  a functor like unchanged_score
template <class T, class O, class Score = unchanged_score>
struct attention_arguments
{
    long_index_t batch = 1;
    index_t heads = 0;     ///< of Q
    index_t kv_heads = 0;  ///< of K and V; divides `heads`
    index_t seq_q = 0;     ///< queries of a sequence; if lengths vary, of the longest
    index_t seq_k = 0;     ///< keys of a sequence; if lengths vary, of the longest
    index_t head_dim = 0;  ///< columns of Q and K; at most the tile's
    index_t value_dim = 0; ///< columns of V and O; at most the tile's

    attention_tensor<const T> q = {}; ///< [batch, heads, seq_q, head_dim]
    attention_tensor<const T> k = {}; ///< [batch, kv_heads, seq_k, head_dim]
    attention_tensor<const T> v = {}; ///< [batch, kv_heads, seq_k, value_dim]; may share memory with K
    attention_tensor<O> o = {};       ///< [batch, heads, seq_q, value_dim]
    /// Logarithm of the sum of exp(S) over the keys, and of exp(sink); -inf if a query sees nothing. Null: not
    /// written.
    attention_rows<float> lse = {};

    float scale = 1.0f; ///< any finite number, 0 and negative ones too
    Score score = {};
    attention_scale q_scale = {}; ///< of 8-bit inputs alone
    attention_scale k_scale = {};
    attention_scale v_scale = {};

    attention_band band = {};                     ///< read by every mask but `none`
    attention_block_lists lists = {};             ///< read if the mask is `lists`
    attention_boolean_mask boolean = {};          ///< read if the mask is `boolean`
    attention_bias_tensor<const float> bias = {}; ///< read if the bias is `tensor`
    attention_alibi alibi = {};                   ///< read if the bias is `alibi`
    /// [heads]: a score that every query of the head has besides those of its keys, with a value of zeros. Null: none.
    const float* sinks = nullptr;
    attention_dropout dropout = {};
    attention_lengths lengths = {};
    attention_pages pages = {}; ///< read if the cache is paged
};

/// The gradients of sum(O * dO), from what the forward pass was given and left. A paged cache has no backward pass.
///
///   Gradient  element type of dQ, dK and dV
template <class T, class O, class Gradient, class Score = unchanged_score>
struct attention_backward_arguments
{
    attention_arguments<T, O, Score> forward = {}; ///< o and lse are read: as the forward pass wrote them
    attention_tensor<const O> d_o = {};            ///< [batch, heads, seq_q, value_dim]
    attention_tensor<Gradient> dq = {};            ///< shaped like Q, K, V, which they do not overlap
    attention_tensor<Gradient> dk = {};
    attention_tensor<Gradient> dv = {};
    /// Has the gradient added to it, one number an element of the bias: if a stride of the bias is 0, so is this
    /// one's. The caller fills it with zeros. Null: not computed.
    attention_bias_tensor<float> d_bias = {};
    float* d_sinks = nullptr; ///< [heads], added to as d_bias is. Null: not computed.
    /// The lists by keys: for each block of keys the blocks of queries that see it (in attention_block_lists `counts`
    /// is then [batch, heads, key blocks]). Read if the mask is `lists`.
    attention_block_lists lists_by_keys = {};
};

} // namespace tegula
