#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/sequence.hpp>

namespace tegula {

/// Three numbers for each query, in arrays [batch, heads, padded_rows]. The first kernel of the backward pass writes
/// them, the others read them. Queries past the last of a sequence have the numbers of a query that sees no key.
/// Behind them lie sums of dQ, if kernels add to these: dq_columns floats for each query, 0 at first.
struct attention_backward_workspace
{
    /// Queries that tiles may read past the last one.
    static constexpr index_t alignment = 128;

    /// The start of the memory; a launch is given only this. Numbers are lse * log2(e), and +inf if lse is -inf:
    /// P = exp2(score * log2(e) - normalizer).
    float* normalizers = nullptr;
    float* deltas = nullptr; ///< sum of dO * O over the columns
    /// lse, and +inf if lse is -inf: P = exp(min(score - logarithm, 0)) if the normalizer is_far_exponent.
    float* logarithms = nullptr;
    float* dq = nullptr; ///< [batch, heads, padded_rows / rows of a tile, a query_gradient_sums]
    index_t padded_rows = 0;

    /// Floats in all arrays together. Kernels with sums of dQ name their columns: see workspace_floats of each.
    template <class Arguments>
    static constexpr long_index_t size(const Arguments& args, index_t dq_columns = 0)
    {
        return (3 + dq_columns) * array_size(args);
    }
    /// The workspace in memory of that size, which starts at a multiple of 16 bytes.
    template <class Arguments>
    static constexpr attention_backward_workspace in(float* memory, const Arguments& args)
    {
        const long_index_t each = array_size(args);
        return {memory, memory + each, memory + 2 * each, memory + 3 * each, round_up(args.seq_q, alignment)};
    }
    /// Where the numbers of a head start.
    constexpr TEGULA_INLINE long_index_t offset(long_index_t batch, index_t heads, index_t head) const
    {
        return (batch * heads + head) * padded_rows;
    }

private:
    template <class Arguments>
    static constexpr long_index_t array_size(const Arguments& args)
    {
        return args.batch * args.heads * round_up(args.seq_q, alignment);
    }
};

/// The arguments of the kernels of the backward pass. A launch of them all, launch(device, kernels{}, {problem,
/// {memory}}), is given the start of the workspace's memory and fills in the rest.
template <class T, class O, class Gradient, class Score>
struct attention_gradient_arguments
{
    attention_backward_arguments<T, O, Gradient, Score> problem = {};
    attention_backward_workspace workspace = {};
};

namespace detail {

/// The rows of one head of one sequence.
template <class T>
struct head_rows
{
    T* data;
    long_index_t row_stride;

    TEGULA_INLINE T* row(index_t i) const { return data + i * row_stride; }
};

/// The rows of batch entry `batch` from row `first_row` on.
template <class T>
TEGULA_INLINE head_rows<T> head_of(const attention_tensor<T>& x, long_index_t batch, index_t head, index_t first_row)
{
    return {x.data + batch * x.batch_stride + head * x.head_stride + first_row * x.row_stride, x.row_stride};
}

/// Sequence `batch` as kernels of the variant see it.
template <class Variant, class Arguments>
TEGULA_INLINE attention_sequence sequence_of(const Arguments& args, index_t batch)
{
    attention_sequence s = attention_sequence::at(args, batch);
    if constexpr (Variant::mask == attention_mask::none)
        s.band = {};
    return s;
}

/// A block's tile of keys.
struct key_tile
{
    index_t key; ///< its first key
    index_t kv_head, batch;
};
template <class Target, index_t Rows, class Arguments>
TEGULA_INLINE key_tile key_tile_of_block(const Arguments& args)
{
    // No number is negative: signed divisions would take more registers.
    const auto block = static_cast<std::uint32_t>(Target::block_id()[0]);
    const auto tiles = static_cast<std::uint32_t>(ceil_div(args.seq_k, Rows));
    const auto kv_heads = static_cast<std::uint32_t>(args.kv_heads);
    return {static_cast<index_t>(block % tiles) * Rows, static_cast<index_t>(block / tiles % kv_heads),
            static_cast<index_t>(block / tiles / kv_heads)};
}

/// Rows of K that a sequence has memory for; those past its keys have gradients of 0.
template <class Arguments>
TEGULA_INLINE index_t key_rows(const Arguments& args, index_t batch)
{
    const index_t* const offsets = args.lengths.key_offsets;
    return offsets != nullptr ? offsets[batch + 1] - offsets[batch] : args.seq_k;
}

} // namespace detail
} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::head_of;
using tegula::detail::head_rows;
using tegula::detail::key_rows;
} // namespace tegula::internal
