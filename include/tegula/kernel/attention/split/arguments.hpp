#pragma once

#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

/// The results of the shares of the keys: O of each as float, and lse in two parts (softmax_row_end), one share after
/// the other.
struct attention_split_workspace
{
    float* data = nullptr; ///< device memory, aligned to 16 bytes
    long_index_t size = 0; ///< floats
};

/// An attention whose keys are split. attention_split_kernel computes each share. combine_splits, launched after it
/// with the same arguments, puts the shares together.
template <class Attention>
struct attention_split_arguments
{
    Attention attention = {};
    index_t splits = 1;
    attention_split_workspace workspace = {};

    /// Rows of O in a share. If lengths vary, all sequences count as long as the longest.
    constexpr TEGULA_HOST_DEVICE long_index_t rows() const
    {
        return attention.batch * attention.heads * attention.seq_q;
    }
    /// Columns of the workspace's O: rows start at multiples of 16 bytes.
    constexpr TEGULA_HOST_DEVICE index_t columns() const { return ceil_div(attention.value_dim, 4) * 4; }
    /// Floats of a share: its O, then lse - shift, then its shift.
    constexpr TEGULA_HOST_DEVICE long_index_t share_size() const { return rows() * columns() + 2 * padded_rows(); }
    /// Floats of workspace.
    constexpr TEGULA_HOST_DEVICE long_index_t workspace_size() const { return splits * share_size(); }

    /// O of a share, [batch, heads, seq_q, value_dim].
    constexpr TEGULA_INLINE attention_tensor<float> o(index_t split) const
    {
        const long_index_t row = columns();
        return {workspace.data + split * share_size(), batch_rows() * row, head_rows() * row, row};
    }
    /// lse - shift of a share, [batch, heads, seq_q].
    constexpr TEGULA_INLINE attention_rows<float> lse(index_t split) const
    {
        return {workspace.data + split * share_size() + rows() * columns(), batch_rows(), head_rows()};
    }
    /// The shift of a share, [batch, heads, seq_q].
    constexpr TEGULA_INLINE attention_rows<float> shift(index_t split) const
    {
        return {lse(split).data + padded_rows(), batch_rows(), head_rows()};
    }

private:
    constexpr TEGULA_HOST_DEVICE long_index_t padded_rows() const { return ceil_div(rows(), long_index_t{4}) * 4; }
    constexpr TEGULA_INLINE bool varies() const { return attention.lengths.query_offsets != nullptr; }
    constexpr TEGULA_INLINE long_index_t batch_rows() const
    {
        return varies() ? 0 : long_index_t{attention.heads} * attention.seq_q;
    }
    /// If lengths vary, the rows of all sequences follow each other within a head.
    constexpr TEGULA_INLINE long_index_t head_rows() const
    {
        return varies() ? attention.batch * attention.seq_q : long_index_t{attention.seq_q};
    }
};

} // namespace tegula
