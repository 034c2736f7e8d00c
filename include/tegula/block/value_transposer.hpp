#pragma once

#include <tegula/arch/nvidia/matrix_copy.hpp>
#include <tegula/mma/shared_operand.hpp>

namespace tegula {

/// Tiles of V of 8 bits as the second product of a warpgroup_chain takes them, [columns, keys] with contiguous keys, out
/// of tiles [keys, columns] that tensor copies brought. A transposing ldmatrix moves 16 bits: a pair of columns at two
/// keys. A lane picks each column's bytes from two registers, and stmatrix stores them.
///
///   Copied  a shared_operand [Columns, Keys], columns contiguous
///   Made    a shared_operand [Columns, Keys], keys contiguous
///   Warps   warps that make a tile together
///
/// Both dimensions are in the order of warpgroup_chain: the even ones of every 16 columns come first, and place 4 q + j
/// of every 16 keys has key 8 (j / 2) + 2 q + j % 2.
template <class Target, class Copied, class Made, int Warps>
struct value_transposer
{
    using element = typename Made::element_type;
    static constexpr index_t columns = Made::mn, keys = Made::k;
    static_assert(sizeof(element) == 1 && Copied::mn == columns && Copied::k == keys && columns % 16 == 0);
    static_assert(Copied::order == operand_order::row_contiguous && Made::order == operand_order::k_contiguous &&
                  line_bytes(Made::swizzle) == 32);

    /// Makes the warp's share of the tile at `made` from the one at `copied`. Keys from `last` on become zeros.
    ///
    ///   Clears  whether there may be such; if not, `last` is not read
    template <bool Clears>
    static TEGULA_INLINE void make(std::byte* made, const std::byte* copied, int warp, [[maybe_unused]] index_t last)
    {
        const index_t lane = Target::lane_id();
        const index_t row = lane % 16, half = lane / 16 * 16; // of a matrix to store, and its first key
        TEGULA_ROLLED
        for (index_t column = warp * 16; column < columns; column += Warps * 16) {
            const std::byte* const from = copied + Copied::offset(column, lane);
            std::byte* const to = made + Made::offset(column + row, half);
            static_for<keys / 32>([&](auto b) { // 32 keys are whole patterns of both: their distances are constants
                constexpr index_t first = b * 32;
                auto pairs = arch::nvidia::load_matrices<4, true>(from + Copied::offset(0, first));
                if constexpr (Clears)
                    static_for<4>([&](auto m) { clear(pairs[m], last - (first + 8 * m + lane % 4 * 2)); });
                arch::nvidia::store_matrices<4>(to + Made::offset(0, first),
                                                {Target::template pick_bytes<0x6420>(pairs[0], pairs[1]),
                                                 Target::template pick_bytes<0x7531>(pairs[0], pairs[1]),
                                                 Target::template pick_bytes<0x6420>(pairs[2], pairs[3]),
                                                 Target::template pick_bytes<0x7531>(pairs[2], pairs[3])});
            });
        }
    }

private:
    /// Keeps as many of a pair of keys.
    static TEGULA_INLINE void clear(std::uint32_t& pair, index_t kept)
    {
        pair = kept <= 0 ? 0 : kept == 1 ? pair & 0xffff : pair;
    }
};

} // namespace tegula
