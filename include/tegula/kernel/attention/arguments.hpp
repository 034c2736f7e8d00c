#pragma once

#include <tegula/kernel/attention/variant.hpp>

/// The run-time values of attention kernels. Pointers are device pointers. Lengths, strides and positions count elements,
/// not bytes.

namespace tegula {

/// A tensor [batch, heads, rows, columns]. Element (b, h, r, c) is data[b * batch_stride + h * head_stride +
/// r * row_stride + c]. If the lengths of sequences vary (attention_lengths), the rows of all sequences follow each other,
/// and batch_stride is not read. In a paged cache (attention_pages), batch_stride is the distance between pages.
template <class T>
struct attention_tensor
{
    T* data = nullptr;
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
    long_index_t row_stride = 0;
};

/// Numbers [batch, heads, rows], one for each query. Number (b, h, r) is data[b * batch_stride + h * head_stride + r]. If
/// lengths vary, the numbers of all sequences follow each other, and batch_stride is not read.
template <class T>
struct attention_rows
{
    T* data = nullptr;
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
};

/// The scale of an 8-bit input, which its elements are multiplied by: one number for the tensor (all strides 0), for each
/// head, or for each block of rows.
struct attention_scale
{
    const float* data = nullptr; ///< [batch, heads, ceil(rows / block_rows)]; null: 1
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
    long_index_t block_stride = 0;
    index_t block_rows = 0; ///< rows that share a number; 0: all rows
};

/// The key on the diagonal of query i.
enum class attention_diagonal {
    bottom_right, ///< key i + seq_k - seq_q: the last query sees the last key
    top_left,     ///< key i
};

/// A band of keys around the diagonal, and a prefix: the first keys, which all queries see. If c is the key on the diagonal of
/// query i, this query sees key j if
///     c - left <= j <= c + right   or   j < prefix.
/// A negative left or right is no limit on that side. Causal: right = 0. Sliding window: left and right from 0.
struct attention_band
{
    index_t left = -1;
    index_t right = -1;
    attention_diagonal diagonal = attention_diagonal::bottom_right;
    index_t prefix = 0;                      ///< keys of the prefix, for all sequences
    const index_t* prefix_lengths = nullptr; ///< [batch]: keys of each sequence's prefix; null: `prefix`
};

/// For each block of queries, the list of the key blocks that it sees. Blocks count from the start of each sequence; the last
/// one may be partial. The list of query block i has the number n = b * batch_stride + h * head_stride + i. It has counts[n]
/// entries, which start at blocks[n * capacity].
struct attention_block_lists
{
    const index_t* counts = nullptr; ///< [batch, heads, query blocks]: entries of each list, at most `capacity`
    const index_t* blocks = nullptr; ///< [batch, heads, query blocks, capacity]: numbers of key blocks, increasing
    long_index_t batch_stride = 0;   ///< in lists; 0: all sequences share them
    long_index_t head_stride = 0;    ///< in lists; 0: all heads share them
    index_t capacity = 0;            ///< entries that each list has room for
    index_t query_length = 0;        ///< queries of a block; a multiple of the tile's queries
    index_t key_length = 0;          ///< keys of a block; a multiple of the tile's keys
};

/// A boolean mask [batch, heads, seq_q, seq_k], one byte for each element. The query sees the key if the byte is not 0.
/// Stride 0 repeats the elements along that dimension.
struct attention_boolean_mask
{
    const unsigned char* data = nullptr;
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
    long_index_t query_stride = 0;
    long_index_t key_stride = 1;
};

/// A bias [batch, heads, seq_q, seq_k], which is added to the scaled scores. Stride 0 repeats the elements along that
/// dimension: with query_stride 0 all queries have the same row. T is const float for the bias, float for its gradient.
template <class T>
struct attention_bias_tensor
{
    T* data = nullptr;
    long_index_t batch_stride = 0;
    long_index_t head_stride = 0;
    long_index_t query_stride = 0;
    long_index_t key_stride = 1;
};

/// Adds -slope * |c - j| to the score of query i and key j, where c is the key on the diagonal of query i (Press, Smith and
/// Lewis, "Train short, test long", 2021).
struct attention_alibi
{
    const float* slopes = nullptr; ///< [batch, heads]; slopes of neighbouring heads are adjacent
    long_index_t batch_stride = 0; ///< 0: all sequences share the slopes
};

/// Drops probabilities: each is kept with probability 1 - p and then multiplied by 1 / (1 - p). Forward and backward pass drop
/// the same ones, whatever tiles their kernels have (dropout.hpp).
struct attention_dropout
{
    std::uint32_t threshold = 0; ///< 65536 p, in [0, 65536); see make_dropout
    std::uint32_t offset = 0;    ///< a part of the generator's counter; each call with one seed takes another
    std::uint64_t seed = 0;
};

/// Sequences of unequal lengths. Null pointers: all have seq_q queries and seq_k keys.
struct attention_lengths
{
    /// [batch + 1], not decreasing, the first 0: sequence b has the rows [query_offsets[b], query_offsets[b + 1]) of Q, O and
    /// lse.
    const index_t* query_offsets = nullptr;
    /// [batch + 1], likewise for the rows of K and V. Must be null if the cache is paged.
    const index_t* key_offsets = nullptr;
    /// [batch]: keys of each sequence, counted from its first row. At most seq_k, and at most the rows that key_offsets gives.
    const index_t* key_lengths = nullptr;
    /// All rows of Q and O: query_offsets[batch]. Only kernels with tensor copies read it, and only if query_offsets is given.
    index_t query_rows = 0;
    index_t key_rows = 0; ///< all rows of K and V, likewise: key_offsets[batch]
};

/// A paged cache: keys [p * page_length, (p + 1) * page_length) of sequence b are the rows of page
/// table[b * batch_stride + p].
struct attention_pages
{
    const index_t* table = nullptr; ///< [batch, pages of a sequence]
    long_index_t batch_stride = 0;
    /// Rows of a page: a multiple of the tile's keys, of kernels by tensor copies one of 16; any number for
    /// attention_cache::paged_by_key.
    index_t page_length = 0;
    index_t pages = 0; ///< pages in memory; entries of the table are in [0, pages)
};

/// O = dropout(softmax(S)) V for every sequence of a batch and every head. S = score(scale Q K^T) + bias if the mask
/// shows the key, else -inf. Head h reads the keys and values of head h / (heads / kv_heads). The kernel's
/// attention_variant says which mask, bias, dropout and cache it has; members for others are not read.
///
///   T      element type of Q, K and V
///   O      element type of the output
///   Score  a functor like unchanged_score
template <class T, class O, class Score = unchanged_score>
struct attention_arguments
{
    long_index_t batch = 1;
    index_t heads = 0;     ///< heads of Q
    index_t kv_heads = 0;  ///< heads of K and V; divides `heads`
    index_t seq_q = 0;     ///< queries of a sequence; if lengths vary, of the longest one
    index_t seq_k = 0;     ///< keys of a sequence; if lengths vary, of the longest one
    index_t head_dim = 0;  ///< columns of Q and K; at most the tile's head_dim
    index_t value_dim = 0; ///< columns of V and O; at most the tile's value_dim

    attention_tensor<const T> q = {}; ///< [batch, heads, seq_q, head_dim]
    attention_tensor<const T> k = {}; ///< [batch, kv_heads, seq_k, head_dim]
    attention_tensor<const T> v = {}; ///< [batch, kv_heads, seq_k, value_dim]; may share memory with K
    attention_tensor<O> o = {};       ///< [batch, heads, seq_q, value_dim]
    /// [batch, heads, seq_q], output: the natural logarithm of the sum of exp(S) over the keys, plus exp(sink) if there are
    /// sinks. -inf if the sum is 0. Null: not written.
    attention_rows<float> lse = {};

    float scale = 1.0f;           ///< multiplies Q K^T; any finite number, also 0 or negative
    Score score = {};             ///< changes the scaled scores
    attention_scale q_scale = {}; ///< this and the next two are read only if T has 8 bits
    attention_scale k_scale = {};
    attention_scale v_scale = {};

    attention_band band = {};                     ///< for every attention_mask but `none`
    attention_block_lists lists = {};             ///< for attention_mask::lists
    attention_boolean_mask boolean = {};          ///< for attention_mask::boolean
    attention_bias_tensor<const float> bias = {}; ///< for attention_bias::tensor
    attention_alibi alibi = {};                   ///< for attention_bias::alibi
    /// [heads]: one more score for every query of the head, as of a key whose value is zeros. Null: no sinks.
    const float* sinks = nullptr;
    attention_dropout dropout = {}; ///< for attention_weights::dropped
    attention_lengths lengths = {};
    attention_pages pages = {}; ///< for attention_cache::paged and paged_by_key
};

/// Whether V is the first columns of K, as in multi-head latent attention.
template <class T, class O, class Score>
constexpr bool values_are_keys(const attention_arguments<T, O, Score>& a)
{
    return a.v.data == a.k.data && a.v.batch_stride == a.k.batch_stride && a.v.head_stride == a.k.head_stride &&
           a.v.row_stride == a.k.row_stride && a.value_dim <= a.head_dim;
}

/// The gradients of sum(O * dO), from the inputs and outputs of the forward pass. A paged cache has no backward pass:
/// can_implement refuses it as unsupported.
///
///   Gradient  element type of dQ, dK and dV
template <class T, class O, class Gradient, class Score = unchanged_score>
struct attention_backward_arguments
{
    attention_arguments<T, O, Score> forward = {}; ///< o and lse are inputs here, as the forward pass wrote them
    attention_tensor<const O> d_o = {};            ///< [batch, heads, seq_q, value_dim]
    attention_tensor<Gradient> dq = {};            ///< the shape of Q; dq, dk and dv overlap no input
    attention_tensor<Gradient> dk = {};            ///< the shape of K
    attention_tensor<Gradient> dv = {};            ///< the shape of V
    /// The kernels add the gradient of the bias to this; the caller fills it with zeros first. A stride is 0 if that of
    /// the bias is. Null: not computed.
    attention_bias_tensor<float> d_bias = {};
    float* d_sinks = nullptr; ///< [heads]: the kernels add the gradient of the sinks, as to d_bias. Null: not computed.
    /// For attention_mask::lists: for each block of keys, the list of the query blocks that see it. `counts` is [batch, heads,
    /// key blocks]; query_length and key_length are those of forward.lists.
    attention_block_lists lists_by_keys = {};
};

} // namespace tegula
