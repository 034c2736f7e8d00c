#pragma once

#include <tegula/block/direct_row_loader.hpp>
#include <tegula/block/sequence_loader.hpp>
#include <tegula/block/tile_ring_loop.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

namespace detail {

/// matrix_reader of one tile.
template <class Reader>
struct matrix_slices
{
    const Reader& reader;
    const typename Reader::element* tile;

    template <int K0>
    TEGULA_INLINE auto read() const
    {
        return reader.template read<K0>(tile);
    }
    /// The words of part `Part` of `Parts` of that slice.
    template <int K0, int Part, int Parts>
    TEGULA_INLINE auto read() const
    {
        return reader.template read_words<K0, Part, Parts>(tile);
    }
    /// Itself, so that streamed_product takes it for a loader.
    TEGULA_INLINE matrix_slices stream() const { return *this; }
};

/// A reader of the slices of the tile in stage `slot` of an operand_loader or ldmatrix_loader: read<K0>().
template <class Target, class Element, class Distribution, class Loader>
TEGULA_INLINE auto slices_of_stage(const Loader& loader, int slot)
{
    const Element* const tile = loader.ring + slot * Loader::tile_elements;
    if constexpr (Loader::instruction_order)
        return matrix_slices<std::remove_cvref_t<decltype(loader.slices)>>{loader.slices, tile};
    else
        return slice_reader<Target, Element, Distribution, typename Loader::shared>(tile);
}

/// row_tiles that come through registers or by asynchronous copies. If ldmatrix transposes, both products read one copy;
/// elsewhere the tile is fetched twice and one copy transposed on its way.
template <class Target, class Element, index_t Rows, index_t Columns, int Waves, class AlongDistribution,
          int InstructionRows, class Across, int Stages>
struct indirect_row_tiles
{
private:
    struct nothing
    {
        static constexpr index_t tile_elements = 0;
        static constexpr bool reads_matrices = false;
        static constexpr int conflicts = 0;
    };
    template <class Mma>
    struct across_parts
    {
        static constexpr int instruction_rows = Mma::transposed ? 0 : Mma::atom::n;
        using distribution = typename Mma::b_distribution;
        using loader = sequence_loader<Target, Element, Columns, Rows, Waves, operand_order::row_contiguous,
                                       distribution, instruction_rows>;
        using reader = panel_reader<distribution, Element, Columns, Rows, true, instruction_rows>;
        static constexpr bool reads_matrices = loader::instruction_order;
        static constexpr index_t tile_elements = loader::tile_elements;
        static constexpr int conflicts = loader::shared::conflicts;
    };
    static constexpr bool has_across = !std::is_void_v<Across>;
    using parts = typename std::conditional_t<has_across, std::type_identity<across_parts<Across>>,
                                              std::type_identity<nothing>>::type;

public:
    using along_loader = sequence_loader<Target, Element, Rows, Columns, Waves, operand_order::k_contiguous,
                                         AlongDistribution, InstructionRows>;
    /// Whether one copy in shared memory serves both.
    static constexpr bool one_copy = parts::reads_matrices && along_loader::instruction_order;

    static constexpr ring_loads loads_by = along_loader::asynchronous ? ring_loads::copied : ring_loads::stored;
    static constexpr index_t bytes = Stages * static_cast<index_t>(sizeof(Element)) *
                                     (along_loader::tile_elements + (one_copy ? 0 : parts::tile_elements));
    static constexpr int conflicts = along_loader::shared::conflicts + parts::conflicts;

    /// stride   elements from row to row, a multiple of 16 bytes
    /// columns  columns of the matrix, at most Columns; a multiple of 16 bytes
    /// memory   `bytes` bytes of shared memory
    TEGULA_INLINE indirect_row_tiles(long_index_t stride, index_t columns, std::byte* memory, const char* name)
        : along_tile(stride, columns, memory, name), across_tile(make_across(stride, columns, memory, name))
    {}

    /// Starts the tile of `extent` rows from *tile on, or of Rows if there are more, towards stage `slot`. Rows that do
    /// not exist arrive as zeros.
    TEGULA_INLINE void load(int slot, const Element* tile, index_t extent)
    {
        if constexpr (loads_by == ring_loads::copied) {
            along_loader to = along_tile;
            to.ring += slot * along_loader::tile_elements;
            to.load(tile, extent);
        } else {
            along_tile.load(tile, extent);
        }
        if constexpr (has_across && !one_copy)
            across_tile.load(tile, extent);
    }
    /// Completes load(slot). No lane may still be reading the stage.
    TEGULA_INLINE void store(int slot) const
    {
        along_tile.store_stage(slot, along_tile.staged);
        if constexpr (has_across && !one_copy)
            across_tile.store_stage(slot, across_tile.staged);
    }

    /// A reader of the tile in stage `slot` as B of the first product: read<K0>() is the slice of columns from K0 on.
    TEGULA_INLINE auto along(int slot) const
    {
        return slices_of_stage<Target, Element, AlongDistribution>(along_tile, slot);
    }
    /// A reader for the second product: read<K0>() is the slice of rows from K0 on.
    TEGULA_INLINE auto across(int slot) const
    {
        if constexpr (one_copy)
            return matrix_slices<typename parts::reader>{across_tile,
                                                         along_tile.ring + slot * along_loader::tile_elements};
        else
            return slices_of_stage<Target, Element, typename parts::distribution>(across_tile, slot);
    }

private:
    static TEGULA_INLINE auto make_across([[maybe_unused]] long_index_t stride, [[maybe_unused]] index_t columns,
                                          [[maybe_unused]] std::byte* memory, [[maybe_unused]] const char* name)
    {
        if constexpr (one_copy)
            return parts::reader::template of_lane<Target>();
        else if constexpr (has_across)
            return typename parts::loader(stride, columns, memory + Stages * along_loader::bytes, name);
        else
            return nothing{};
    }
    along_loader along_tile;
    [[no_unique_address]] decltype(make_across(0, 0, nullptr, nullptr)) across_tile;
};

/// Whether tiles of these lengths come by direct loads.
template <class Target, class Element, index_t Rows, index_t Columns, int Waves, class Loader>
consteval bool takes_direct_rows()
{
    if constexpr (requires { Target::has_direct_load; } && sizeof(Element) <= 2 && Columns >= 64 &&
                  is_power_of_two(Columns))
        if constexpr (Rows * Columns * sizeof(Element) % (Waves * Target::wave_size * 16) == 0)
            if constexpr (Loader::reads())
                return Loader::conflicts == 0;
    return false;
}

template <class Across>
struct row_distribution
{
    using type = typename Across::b_distribution;
};
template <>
struct row_distribution<void>
{
    using type = void;
};

template <class Target, class Element, index_t Rows, index_t Columns, int Waves, class AlongDistribution,
          int InstructionRows, class Across, int Stages>
struct row_tiles_for
{
    using direct = direct_row_loader<Target, Element, Rows, Columns, Waves, AlongDistribution,
                                     typename row_distribution<Across>::type, Stages>;
    using type = std::conditional_t<
        Stages == 2 && takes_direct_rows<Target, Element, Rows, Columns, Waves, direct>(), direct,
        indirect_row_tiles<Target, Element, Rows, Columns, Waves, AlongDistribution, InstructionRows, Across, Stages>>;
};

} // namespace detail

/// Tiles [Rows, Columns] of a matrix whose columns are neighbours, on their way through a ring of Stages in shared
/// memory. One product over the columns reads them as its B; if Across is not void, another over the rows does too.
///
///   AlongDistribution  of the first product's B, [Rows, slice_k]
///   InstructionRows    0, or the instruction's rows of the mma.sync operand that it is
///   Across             the mma_tile of the second product, whose B is [Columns, slice_k] of rows; or void
///
/// They come by direct loads through two stages on gfx950, whose reads transpose, else as indirect_row_tiles says.
template <class Target, class Element, index_t Rows, index_t Columns, int Waves, class AlongDistribution,
          int InstructionRows, class Across, int Stages>
using row_tiles = typename detail::row_tiles_for<Target, Element, Rows, Columns, Waves, AlongDistribution,
                                                 InstructionRows, Across, Stages>::type;

namespace internal {
using detail::takes_direct_rows;
} // namespace internal

} // namespace tegula
