#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/block/row_tiles.hpp>

namespace tegula {

/// The A [block_m, Columns] of a product that a block keeps while tiles of its B pass: in registers, or in shared
/// memory if it has too few registers.
template <class Target, class Element, index_t Columns, class Mma, bool InRegisters>
struct resident_rows
{
    using loader = sequence_loader<Target, Element, Mma::block_m, Columns, Mma::waves, operand_order::k_contiguous,
                                   typename Mma::a_distribution, Mma::transposed ? 0 : Mma::atom::m>;
    static constexpr int slices = Columns / Mma::slice_k;
    static_assert(slices * Mma::slice_k == Columns, "tegula: the columns must be whole slices of k of the product");

    /// Bytes of shared memory: until hold() if InRegisters, otherwise to the end.
    static constexpr index_t bytes = loader::bytes;
    static constexpr int conflicts = loader::shared::conflicts;

    /// Loads `extent` rows from *rows on, but at most block_m; they have arrived after loader::arrive().
    ///
    ///   stride   elements from row to row, a multiple of 16 bytes
    ///   columns  at most Columns; a multiple of 16 bytes
    ///   memory   `bytes` bytes of shared memory
    TEGULA_INLINE resident_rows(const Element* rows, index_t extent, long_index_t stride, index_t columns,
                                std::byte* memory, const char* name)
        : tile(stride, columns, memory, name)
    {
        tile.load(rows, extent);
        tile.store();
    }

    /// Takes the rows into registers if they are kept there; after a barrier shared memory is free again.
    TEGULA_INLINE void hold()
    {
        if constexpr (InRegisters) {
            static_for<slices>([&](auto i) { held[i] = tile.template read<i* static_cast<int>(Mma::slice_k)>(0); });
#if TEGULA_AMD_PASS && __clang_major__ < 20
            // clang 19 takes pairs of words of 16-bit elements apart, and then fails.
            if constexpr (sizeof(Element) == 2)
                static_for<slices>([&](auto i) {
                    auto words =
                        __builtin_bit_cast(array<std::uint32_t, Mma::a_slice::num_registers / 2>, held[i].registers);
                    for (std::uint32_t& word : words.values)
                        Target::make_opaque(word);
                    held[i].registers = __builtin_bit_cast(decltype(held[i].registers), words);
                });
#endif
        }
    }
    /// read<K0>() of it is the slice of columns from K0 on.
    TEGULA_INLINE auto stream() const
    {
        if constexpr (InRegisters)
            return held_slices{held};
        else
            return detail::slices_of_stage<Target, Element, typename Mma::a_distribution>(tile, 0);
    }

private:
    struct nothing
    {};
    using held_array = std::conditional_t<InRegisters, array<typename Mma::a_slice, slices>, nothing>;
    struct held_slices
    {
        const held_array& held;

        template <int K0>
        TEGULA_INLINE typename Mma::a_slice read() const
        {
            return held[K0 / static_cast<int>(Mma::slice_k)];
        }
    };
    loader tile;
    [[no_unique_address]] held_array held;
};

} // namespace tegula
