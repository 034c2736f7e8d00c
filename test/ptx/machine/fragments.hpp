#pragma once

// Which element of a matrix a lane holds in which slot. PTX ISA: "Matrix Fragments for mma" of each shape, "Register
// Fragments" of wgmma, "ldmatrix", "stmatrix". A slot is an element of a lane's registers, from the first register
// upwards, low bits first.

#include <stdexcept>

namespace ptx {

struct element
{
    int row, column;
};

/// A of mma.sync and of wgmma's warps: m x k; `bits` of an element.
inline element fragment_a(int m, int bits, int lane, int slot)
{
    const int packed = bits < 32 ? 32 / bits : 1, reg = slot / packed, i = slot % packed;
    const int row_blocks = m / 8;
    return {lane / 4 + 8 * (reg % row_blocks), lane % 4 * packed + i + 4 * packed * (reg / row_blocks)};
}

/// B: k x n; n is 8.
inline element fragment_b(int bits, int lane, int slot)
{
    const int packed = bits < 32 ? 32 / bits : 1, reg = slot / packed, i = slot % packed;
    return {lane % 4 * packed + i + 4 * packed * reg, lane / 4};
}

/// C and D: m x n, n any multiple of 8 (wgmma).
inline element fragment_c(int m, int lane, int slot)
{
    const int row_blocks = m / 8, reg = slot / 2;
    return {lane / 4 + 8 * (reg % row_blocks), lane % 4 * 2 + slot % 2 + 8 * (reg / row_blocks)};
}

/// ldmatrix and stmatrix: element (row, column) of the 8x8 matrix in slot 2i and 2i + 1.
inline element fragment_of_matrix(bool transposed, int lane, int slot)
{
    const element e{lane / 4, lane % 4 * 2 + slot % 2};
    return transposed ? element{e.column, e.row} : e;
}

} // namespace ptx
