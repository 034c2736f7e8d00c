#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

/// One copy of gfx1250's tensor data mover from global to shared memory: a tile of rows of a matrix, whose rows may be
/// padded in shared memory.
struct tensor_tile
{
    std::uint64_t global = 0;  ///< address of the tile's first element; 57 bits
    std::uint32_t shared = 0;  ///< where it goes, in bytes from the start of the block's shared memory
    int element_bytes = 4;     ///< 1, 2, 4 or 8
    std::uint32_t columns = 0; ///< columns of the matrix from the tile's first element on; elements past them are zeros
    std::uint32_t rows = 0;    ///< rows of the matrix, likewise
    std::uint64_t row_stride = 0;                  ///< elements from row to row; 48 bits
    std::uint32_t tile_columns = 0, tile_rows = 0; ///< 1 to 65535 each; rows of the tile are whole words of 4 bytes
    /// After so many bytes the tile leaves `pad_bytes` out: 8 to 1024, a power of two; 0 for none.
    std::uint32_t pad_interval = 0;
    std::uint32_t pad_bytes = 0; ///< 4 to 512, a multiple of 4
    /// Ranks of the blocks of a cluster that make the same request and share what it reads, a bit each; 0: this one alone.
    std::uint32_t blocks = 0;
};

/// The first two groups of registers of the request; tiles of more than two dimensions have two further ones.
struct tensor_tile_words
{
    array<std::uint32_t, 4> group0{};
    array<std::uint32_t, 8> group1{};
};

/// One sentence about what is wrong with the request; null if nothing is. (The hardware does nothing for an empty tile,
/// and says nothing.)
constexpr const char* find_problem(const tensor_tile& t)
{
    const bool is_size = t.element_bytes == 1 || t.element_bytes == 2 || t.element_bytes == 4 || t.element_bytes == 8;
    if (!is_size)
        return "the tensor data mover takes elements of 1, 2, 4 or 8 bytes";
    if (t.tile_columns < 1 || t.tile_rows < 1 || t.tile_columns > 0xffff || t.tile_rows > 0xffff)
        return "a tile of the tensor data mover has 1 to 65535 rows and columns; copy nothing for an empty one";
    if (t.tile_columns * static_cast<std::uint32_t>(t.element_bytes) % 4 != 0 || t.shared % 4 != 0)
        return "rows of the tensor data mover's tile, and its place, are multiples of 4 bytes";
    if (t.global >> 57 != 0 || t.row_stride >> 48 != 0)
        return "an address of the tensor data mover has 57 bits and a stride 48";
    if (t.global % static_cast<std::uint32_t>(t.element_bytes) != 0)
        return "the tensor data mover's tile begins at a whole element";
    if ((t.pad_interval == 0) != (t.pad_bytes == 0))
        return "padding of the tensor data mover has an interval and a length, or neither";
    if (t.pad_interval != 0 && (t.pad_interval < 8 || t.pad_interval > 1024 || !is_power_of_two(t.pad_interval) ||
                                t.pad_bytes > 512 || t.pad_bytes % 4 != 0))
        return "the tensor data mover pads after 8 to 1024 bytes, a power of two, by 4 to 512 bytes, a multiple of 4";
    if (t.blocks >> 16 != 0)
        return "the tensor data mover names blocks of a cluster by 16 bits";
    return nullptr;
}

/// The request as the instruction takes it. Fields: HIP's amd_gfx1250_TDM.h, which follows the CDNA 5 ISA guide, 10.11.
/// Precondition: no find_problem().
constexpr TEGULA_HOST_DEVICE tensor_tile_words encode(const tensor_tile& t)
{
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const bool pads = t.pad_interval != 0;
    tensor_tile_words d;
    d.group0 = {1, t.shared, low(t.global), high(t.global) | 2u << 30}; // one descriptor; type 2, a tensor
    d.group1[0] = static_cast<std::uint32_t>(log2_of(t.element_bytes)) << 16 | t.blocks;
    if (pads)
        d.group1[0] |=
            1u << 20 | static_cast<std::uint32_t>(log2_of(t.pad_interval) - 3) << 22 | (t.pad_bytes / 4 - 1) << 25;
    d.group1[1] = t.columns << 16;
    d.group1[2] = t.columns >> 16 | t.rows << 16;
    d.group1[3] = t.rows >> 16 | t.tile_columns << 16;
    d.group1[4] = t.tile_rows;
    d.group1[5] = low(t.row_stride);
    d.group1[6] = high(t.row_stride);
    return d;
}

/// The tile that the descriptor asks for.
constexpr tensor_tile decode(const tensor_tile_words& d)
{
    tensor_tile t;
    t.global = static_cast<std::uint64_t>(d.group0[3] & 0x1ffffff) << 32 | d.group0[2];
    t.shared = d.group0[1];
    t.element_bytes = 1 << (d.group1[0] >> 16 & 3);
    t.blocks = d.group1[0] & 0xffff;
    t.columns = d.group1[1] >> 16 | d.group1[2] << 16;
    t.rows = d.group1[2] >> 16 | d.group1[3] << 16;
    t.tile_columns = d.group1[3] >> 16;
    t.tile_rows = d.group1[4] & 0xffff;
    t.row_stride = static_cast<std::uint64_t>(d.group1[6] & 0xffff) << 32 | d.group1[5];
    if ((d.group1[0] >> 20 & 1) != 0) {
        t.pad_interval = 8u << (d.group1[0] >> 22 & 7);
        t.pad_bytes = 4 * ((d.group1[0] >> 25) + 1);
    }
    return t;
}

} // namespace tegula
