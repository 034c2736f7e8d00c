#pragma once

#include <tegula/block/row_tiles.hpp>

namespace tegula {

/// The A [block_m, Columns] of a product that a block keeps while tiles of its B pass: in registers, or in shared memory
/// where those are few. Rows and columns past the last are zeros.
template <class Target, class Element, index_t Columns, class Mma, bool InRegisters>
struct resident_rows
{
    using loader =
        best_operand_loader<Target, Element, Mma::block_m, Columns, Mma::waves, operand_order::k_contiguous,
                            typename Mma::a_distribution, Mma::transposed ? 0 : Mma::atom::m>;
    static constexpr int slices = Columns / Mma::slice_k;
    static_assert(slices * Mma::slice_k == Columns, "tegula: the columns must be whole slices of k of the product");

    /// Of shared memory, until held() where InRegisters, else for good.
    static constexpr index_t bytes = loader::tile_elements * static_cast<index_t>(sizeof(Element));
    static constexpr int conflicts = loader::shared::conflicts;

    /// Starts fetching the rows of `s` from `row` on; they are there after finish(), a wait for what is asynchronous, and
    /// a barrier.
    TEGULA_INLINE resident_rows(const operand_source<Element>& s, index_t row, std::byte* memory)
        : tile(rows_from(s, row), 0, reinterpret_cast<Element*>(memory))
    {
        tile.load_edge_stage(0, 0);
    }
    TEGULA_INLINE void finish() { tile.store_stage(0); }

    /// Takes the rows into registers where they are kept there. Shared memory is free again behind a barrier.
    TEGULA_INLINE void hold()
    {
        if constexpr (InRegisters)
            static_for<slices>([&](auto i) { held[i] = tile.template read<i * Mma::slice_k>(0); });
    }
    /// The slice of columns [K0, K0 + slice_k).
    template <int K0>
    TEGULA_INLINE typename Mma::a_slice read() const
    {
        if constexpr (InRegisters)
            return held[K0 / Mma::slice_k];
        else
            return tile.template read<K0>(0);
    }

private:
    struct nothing
    {};
    loader tile;
    [[no_unique_address]] std::conditional_t<InRegisters, array<typename Mma::a_slice, slices>, nothing> held;
};

} // namespace tegula
