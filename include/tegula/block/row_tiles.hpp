#pragma once

#include <tegula/block/ldmatrix_loader.hpp>
#include <tegula/block/mma_tile.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

/// The operand whose first row is row `row` of the given one, whose columns (k) are neighbours.
template <class Element>
TEGULA_INLINE operand_source<Element> rows_from(operand_source<Element> s, index_t row)
{
    s.data += row * s.row_stride;
    s.rows = max(s.rows - row, 0);
    return s;
}

/// The same as the operand of a product over its rows: its columns are the product's rows.
template <class Element>
TEGULA_INLINE operand_source<Element> across(const operand_source<Element>& s)
{
    return {s.data, s.k, s.rows, s.k_stride, s.row_stride, s.name};
}

/// A tile [Rows, Columns] of a matrix whose columns are neighbours, of which a product over the columns takes the B of
/// `Along`, and, where it is not void, another over the rows the B of `Across`, in the instruction's order of k.
/// A ring of Stages tiles goes through shared memory. Rows and columns past the last are zeros.
///
/// Where ldmatrix transposes, both products read one copy; elsewhere the tile is fetched twice and transposed on its way.
template <class Target, class Element, index_t Rows, index_t Columns, int Waves, class Along, class Across, int Stages>
struct row_tiles
{
    static constexpr bool has_across = !std::is_void_v<Across>;

private:
    template <class Mma>
    static constexpr int instruction_rows = Mma::transposed ? 0 : Mma::atom::n;

    template <class Mma, class Void>
    struct across_parts
    {
        using slice = typename Mma::b_slice;
        /// As operand_loader reads it, in the instruction's order.
        using loader = operand_loader<Target, Element, Columns, Rows, Waves, operand_order::row_contiguous,
                                      typename Mma::b_order_distribution>;
        using reader = detail::panel_reader<typename Mma::b_distribution, Element, Columns, Rows, true,
                                            instruction_rows<Mma>>;
        static constexpr bool reads_matrices =
            streams_matrices<Target, Element, Columns, Rows, Waves, operand_order::row_contiguous,
                             typename Mma::b_distribution, instruction_rows<Mma>>();
    };
    struct nothing
    {
        static constexpr index_t tile_elements = 0;
    };
    template <class Void>
    struct across_parts<void, Void>
    {
        using loader = nothing;
        using reader = nothing;
        using slice = nothing;
        static constexpr bool reads_matrices = false;
    };
    using parts = across_parts<Across, void>;

public:
    using along_loader = best_operand_loader<Target, Element, Rows, Columns, Waves, operand_order::k_contiguous,
                                             typename Along::b_distribution, instruction_rows<Along>>;
    /// Whether one copy in shared memory serves both.
    static constexpr bool one_copy = has_across && parts::reads_matrices && along_loader::instruction_order;
    using across_loader = std::conditional_t<one_copy, nothing, typename parts::loader>;

    static constexpr bool asynchronous = along_loader::asynchronous;
    static constexpr index_t bytes =
        Stages * (along_loader::tile_elements + across_loader::tile_elements) * static_cast<index_t>(sizeof(Element));
    static consteval int conflicts()
    {
        int n = along_loader::shared::conflicts;
        if constexpr (one_copy)
            n += parts::reader::conflicts(Target::chip(), Rows);
        else if constexpr (has_across)
            n += across_loader::shared::conflicts;
        return n;
    }

    /// memory: `bytes` bytes of shared memory.
    TEGULA_INLINE row_tiles(const operand_source<Element>& s, std::byte* memory)
        : along_tile(s, 0, reinterpret_cast<Element*>(memory)), across_tile(make_across(s, memory))
    {}

    /// Starts fetching the first rows of `from` into stage `slot`.
    TEGULA_INLINE void load(int slot, const operand_source<Element>& from)
    {
        along_tile = along_loader(from, 0, along_tile.ring);
        bool whole = from.rows >= Rows && from.k == Columns && along_tile.has_whole_tiles();
        if constexpr (has_across && !one_copy) {
            across_tile = across_loader(across(from), 0, across_tile.ring);
            whole = whole && across_tile.has_whole_tiles();
        }
        if (whole) {
            along_tile.load_stage(slot);
            if constexpr (has_across && !one_copy)
                across_tile.load_stage(slot);
        } else {
            along_tile.load_edge_stage(slot, 0);
            if constexpr (has_across && !one_copy)
                across_tile.load_edge_stage(slot, 0);
        }
    }

    /// Completes load(slot), for the waves behind a barrier.
    TEGULA_INLINE void store(int slot)
    {
        along_tile.store_stage(slot);
        if constexpr (has_across && !one_copy)
            across_tile.store_stage(slot);
    }

    /// The slice of columns [K0, K0 + slice_k) for Along: its B is [Rows, slice_k].
    template <int K0>
    TEGULA_INLINE auto read_along(int slot) const
    {
        return along_tile.template read<K0>(slot);
    }
    /// The slice of rows [K0, K0 + slice_k) for Across: its B is [Columns, slice_k].
    template <int K0>
    TEGULA_INLINE auto read_across(int slot) const
    {
        typename parts::slice slice;
        if constexpr (one_copy)
            slice.registers =
                across_tile_reader.template read<K0>(along_tile.ring + slot * along_loader::tile_elements).registers;
        else
            slice.registers = across_tile.template read<K0>(slot).registers;
        return slice;
    }

private:
    along_loader along_tile;
    [[no_unique_address]] across_loader across_tile;
    [[no_unique_address]] std::conditional_t<one_copy, typename parts::reader, nothing> across_tile_reader =
        make_reader();

    static TEGULA_INLINE auto make_across([[maybe_unused]] const operand_source<Element>& s,
                                          [[maybe_unused]] std::byte* memory)
    {
        if constexpr (has_across && !one_copy)
            return across_loader(across(s), 0,
                                 reinterpret_cast<Element*>(memory) + Stages * along_loader::tile_elements);
        else
            return nothing{};
    }
    static TEGULA_INLINE auto make_reader()
    {
        if constexpr (one_copy)
            return parts::reader::template of_lane<Target>();
        else
            return nothing{};
    }
};

} // namespace tegula
