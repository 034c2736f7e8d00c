#pragma once

#include <tegula/chip/swizzle.hpp>
#include <tegula/core/array.hpp>

namespace tegula {

/// The layout of a [rows, columns] tile in shared memory that tensor copies write and wgmma reads. It is made of panels
/// side by side, each the box of one tensor copy: `rows` lines of line_bytes(swizzle), one below the other, with the
/// swizzle on top.
///
/// Preconditions: rows is a multiple of 8, columns of panel_columns(), and the tile starts at a multiple of
/// pattern_bytes(swizzle).
struct tma_swizzled_layout_value
{
    index_t rows = 8;
    index_t columns = 8;
    int element_bits = 16;
    swizzle_mode swizzle = swizzle_mode::bytes_128;

    constexpr TEGULA_HOST_DEVICE index_t panel_columns() const { return line_bytes(swizzle) * 8 / element_bits; }
    constexpr TEGULA_HOST_DEVICE index_t panel_bytes() const { return rows * line_bytes(swizzle); }
    constexpr TEGULA_HOST_DEVICE index_t panels() const { return columns / panel_columns(); }
    constexpr TEGULA_HOST_DEVICE index_t element_space() const { return rows * columns; }
    constexpr TEGULA_HOST_DEVICE index_t chunk_elements() const { return 128 / element_bits; }

    /// Byte offset of element (row, column) before the swizzle; addresses in descriptors count in these bytes.
    constexpr TEGULA_HOST_DEVICE index_t linear_byte(index_t row, index_t column) const
    {
        const index_t byte = column * element_bits / 8;
        const index_t line = line_bytes(swizzle);
        return byte / line * panel_bytes() + row * line + byte % line;
    }

    /// Offset of element (row, column), in elements.
    constexpr TEGULA_HOST_DEVICE index_t offset(index_t row, index_t column) const
    {
        const auto byte = tegula::swizzle(swizzle, static_cast<std::uint32_t>(linear_byte(row, column)));
        return static_cast<index_t>(byte) * 8 / element_bits;
    }

    /// Elements along a row that stay together and aligned.
    constexpr TEGULA_HOST_DEVICE index_t vector_length() const { return chunk_elements(); }
};

} // namespace tegula
