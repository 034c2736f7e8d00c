#pragma once

#include <tegula/core/config.hpp>

/// Tensor memory of sm_100a and sm_103a (PTX ISA 9.0, 9.7.16.1): 128 lanes of 512 columns of 32 bits a multiprocessor,
/// where tcgen05.mma keeps its accumulators. Warp w of a warpgroup reaches lanes 32 (w % 4) to 32 (w % 4) + 31.

namespace tegula {

inline constexpr int tensor_memory_lanes = 128;

/// A word of tensor memory, by lane and column.
struct tensor_memory_place
{
    int lane = 0;
    int column = 0;
    friend constexpr bool operator==(const tensor_memory_place&, const tensor_memory_place&) = default;
};

/// An address: the lane in the upper half, the column in the lower one, so that columns add.
constexpr TEGULA_HOST_DEVICE std::uint32_t tensor_memory_address(int lane, int column)
{
    return static_cast<std::uint32_t>(lane) << 16 | static_cast<std::uint32_t>(column);
}
constexpr TEGULA_HOST_DEVICE tensor_memory_place place_of(std::uint32_t address)
{
    return {static_cast<int>(address >> 16), static_cast<int>(address & 0xffff)};
}

/// The address of an operand A in tensor memory; it stands in the place of the descriptor of one in shared memory.
struct tensor_memory_rows
{
    std::uint32_t address = 0;
};

/// The shape of a product: [m, n] of one block, or of the two of a pair (blocks 2).
struct tensor_product_shape
{
    int blocks = 1;
    int m = 128;
    int n = 256;
    bool weight_stationary = false; ///< the .ws form

    /// Rows of D in one block.
    constexpr TEGULA_HOST_DEVICE int rows() const { return m / blocks; }
    /// Columns of tensor memory that D takes, one an element whatever its type.
    constexpr TEGULA_HOST_DEVICE int columns() const
    {
        const bool folded = blocks == 2 ? m == 128 : weight_stationary && m == 64;
        return folded ? n / 2 : weight_stationary && m == 32 ? n / 4 : n;
    }
    /// Where element (row, column) of D lies in the block of rank row / rows() (PTX ISA 9.0, 9.7.16.10.5: data path
    /// layouts A, B and D to G; in F every second 16 lanes stay free).
    constexpr TEGULA_HOST_DEVICE tensor_memory_place place(int row, int column) const
    {
        const int r = row % rows();
        if (columns() != n)
            return {r + rows() * (column / columns()), column % columns()};
        return {rows() == 64 ? r / 16 * 32 + r % 16 : r, column};
    }
};

/// Shapes of tcgen05.ld and tcgen05.st (PTX ISA 9.0, 9.7.16.8): lanes by bits a row, moved once for .x1.
enum class tensor_access { lanes_32x32b, lanes_16x64b, lanes_16x128b, lanes_16x256b, lanes_16x32bx2 };

/// Registers of a thread for .x1.
constexpr TEGULA_HOST_DEVICE int registers_of(tensor_access shape)
{
    return shape == tensor_access::lanes_16x256b ? 4 : shape == tensor_access::lanes_16x128b ? 2 : 1;
}
/// Columns that .x1 covers, of one half for lanes_16x32bx2.
constexpr TEGULA_HOST_DEVICE int columns_of(tensor_access shape)
{
    return shape == tensor_access::lanes_16x256b   ? 8
           : shape == tensor_access::lanes_16x128b ? 4
           : shape == tensor_access::lanes_16x64b  ? 2
                                                   : 1;
}
constexpr TEGULA_HOST_DEVICE int lanes_of(tensor_access shape)
{
    return shape == tensor_access::lanes_32x32b ? 32 : 16;
}

/// The word that register i of thread t of the warp stands for, relative to the instruction's address. `second`: the
/// column where the second half of lanes_16x32bx2 starts, its immediate operand.
constexpr TEGULA_HOST_DEVICE tensor_memory_place accessed_place(tensor_access shape, int t, int i, int second = 0)
{
    switch (shape) {
    case tensor_access::lanes_32x32b:
        return {t, i};
    case tensor_access::lanes_16x64b:
        return {t / 4 + 8 * (t % 2), t / 2 % 2 + 2 * i};
    case tensor_access::lanes_16x128b:
        return {t / 4 + 8 * (i % 2), t % 4 + 4 * (i / 2)};
    case tensor_access::lanes_16x256b:
        return {t / 4 + 8 * (i / 2 % 2), 2 * (t % 4) + i % 2 + 8 * (i / 4)};
    default:
        return {t % 16, i + second * (t / 16)};
    }
}

/// Shapes of tcgen05.cp, from shared memory (PTX ISA 9.0, 9.7.16.9): rows by bits, and the warps' lanes that get them.
enum class tensor_copy { rows_128x256b, rows_128x128b, rows_64x128b_02_13, rows_64x128b_01_23, rows_32x128b_x4 };

constexpr TEGULA_HOST_DEVICE int rows_of(tensor_copy shape)
{
    return shape == tensor_copy::rows_32x128b_x4 ? 32 : shape >= tensor_copy::rows_64x128b_02_13 ? 64 : 128;
}
/// Words of a row, which are columns.
constexpr TEGULA_HOST_DEVICE int columns_of(tensor_copy shape) { return shape == tensor_copy::rows_128x256b ? 8 : 4; }
/// The row of the source that a lane gets.
constexpr TEGULA_HOST_DEVICE int copied_row(tensor_copy shape, int lane)
{
    return shape == tensor_copy::rows_32x128b_x4      ? lane % 32
           : shape == tensor_copy::rows_64x128b_02_13 ? lane % 64
           : shape == tensor_copy::rows_64x128b_01_23 ? lane / 64 * 32 + lane % 32
                                                      : lane;
}

} // namespace tegula
