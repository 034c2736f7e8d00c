#pragma once

#include <tegula/core/block_scale.hpp>
#include <tegula/core/math.hpp>

/// How microscaled_gemm wants its operands in memory: rows of packed elements with k padded by zeros, and scales in the
/// order in which gfx950 holds them in registers.

namespace tegula {

/// Elements of k per instruction, and per register of scales. Rows are padded to a multiple of mx_step.
inline constexpr index_t mx_step = 128, mx_scale_span = 512;

/// Bytes of a row of k elements of T; rows may lie further apart, at multiples of 16 bytes.
template <class T>
constexpr TEGULA_HOST_DEVICE long_index_t mx_row_bytes(long_index_t k)
{
    return ceil_div(k, mx_step) * (mx_step * T::format::width / 8);
}

/// Bytes of the scales of `rows` rows of k elements.
constexpr TEGULA_HOST_DEVICE long_index_t mx_scale_bytes(long_index_t rows, long_index_t k)
{
    return ceil_div(k, mx_scale_span) * rows * 16;
}

/// Byte offset of the scale of row `row` and block `block` of 32 k. Each row has 16 bytes for every 512 of k; byte
/// 4 g + s holds the scale of block 4 s + g. Lanes form 4 groups of 16 rows and load a word each. Byte s of the word
/// is for step s, 128 of k, in which group g holds the scale of block g (scaled_mma_atom).
constexpr TEGULA_HOST_DEVICE long_index_t mx_scale_offset(long_index_t row, long_index_t block, long_index_t rows)
{
    return (block / 16 * rows + row) * 16 + block % 4 * 4 + block / 4 % 4;
}

/// Where the scales of rows of k elements in a format lie: in atoms of 128 rows by 4 blocks (scale_atom_offset), or as
/// gfx950's registers hold them (mx_scale_offset).
template <class Format, bool Atoms>
struct scale_order
{
    /// Blocks along k, and rows, that the scales have bytes for: k and rows with their padding.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(long_index_t k)
    {
        constexpr long_index_t span = Atoms ? 4 : mx_scale_span / mx_block;
        return ceil_div(ceil_div(k, Format::block), span) * span;
    }
    static constexpr TEGULA_HOST_DEVICE long_index_t rows(long_index_t rows)
    {
        return Atoms ? ceil_div(rows, 128) * 128 : rows;
    }
    static constexpr TEGULA_HOST_DEVICE long_index_t bytes(long_index_t all_rows, long_index_t k)
    {
        return rows(all_rows) * blocks(k);
    }
    static constexpr TEGULA_HOST_DEVICE long_index_t offset(long_index_t row, long_index_t block, long_index_t all_rows,
                                                            long_index_t k)
    {
        return Atoms ? scale_atom_offset(row, block, blocks(k)) : mx_scale_offset(row, block, all_rows);
    }
};

} // namespace tegula
