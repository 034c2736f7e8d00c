#pragma once

#include <tegula/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace tegula::internal {

/// Descriptors of the first stage of passing rows in shared memory. Products read it along the columns and across them.
///
///   Tile  a tcgen05_gradient_tile or tcgen05_square_gradient_tile
template <class Tile>
struct passing_descriptors
{
    std::uint64_t head_along, value_along, head_across, value_across;

    /// memory: the block's shared memory.
    static TEGULA_INLINE passing_descriptors of(const std::byte* memory)
    {
        using element = typename Tile::element;
        const auto* const head = reinterpret_cast<const element*>(memory + Tile::first_stage_byte);
        const auto* const value =
            reinterpret_cast<const element*>(memory + Tile::first_stage_byte + Tile::passing_head::bytes);
        return {Tile::passing_head::descriptor(head), Tile::passing_value::descriptor(value),
                Tile::head_across::descriptor(head), Tile::value_across::descriptor(value)};
    }
};

} // namespace tegula::internal
