#pragma once

#include <tegula/core/math.hpp>
#include <tegula/layout/transform/common.hpp>

namespace tegula {

/// Which chunk of a row moves where: chunk index ^= ((row >> ShiftA) ^ (row >> ShiftB)) & Mask.
///
/// Chunk   elements that stay together and in order; a power of two
/// Mask    the bits of the chunk index that may change
/// ShiftB  a negative one leaves the second term out
template <index_t Chunk, index_t Mask, int ShiftA = 0, int ShiftB = -1>
struct xor_pattern
{
    static_assert(is_power_of_two(Chunk), "tegula: the chunk of an xor pattern must be a power of two");
    static_assert(Mask >= 0 && 0 <= ShiftA && ShiftA < 31 && ShiftB < 31, "tegula: an xor pattern shifts by 0 to 30");

    static constexpr index_t chunk = Chunk;
    static constexpr index_t mask = Mask;
    /// Rows in aligned groups of this many move alike.
    static constexpr index_t rows_alike = index_t{1} << (0 <= ShiftB && ShiftB < ShiftA ? ShiftB : ShiftA);

    /// Chunks per row must be a multiple of this, or a chunk would leave its row.
    static constexpr TEGULA_HOST_DEVICE index_t chunk_group()
    {
        index_t group = 1;
        while (group <= Mask)
            group *= 2;
        return group;
    }

    /// Where the element at (row, column) goes in its row.
    static constexpr TEGULA_INLINE index_t column(index_t row, index_t column)
    {
        const auto r = static_cast<std::uint32_t>(row);
        std::uint32_t bits = r >> ShiftA;
        if constexpr (ShiftB >= 0)
            bits ^= r >> ShiftB;
        const std::uint32_t twist = (bits & static_cast<std::uint32_t>(Mask)) * static_cast<std::uint32_t>(Chunk);
        return static_cast<index_t>(static_cast<std::uint32_t>(column) ^ twist);
    }
};

/// (row, column) -> (row, column with its chunk moved by Pattern): shared memory without bank conflicts.
/// Its own inverse. Precondition: columns are a multiple of Pattern::chunk * Pattern::chunk_group().
template <class Rows, class Columns, class Pattern>
struct xor_transform
{
    static constexpr int num_lower = 2;
    static constexpr int num_upper = 2;

    [[no_unique_address]] Rows rows;
    [[no_unique_address]] Columns columns;

    template <int I>
    constexpr TEGULA_INLINE auto upper_length() const
    {
        if constexpr (I == 0)
            return rows;
        else
            return columns;
    }
    template <class Low>
    static constexpr TEGULA_INLINE array<Low, 2> lower_index(const multi_index<2>& upper)
    {
        return {{static_cast<Low>(upper[0]), static_cast<Low>(Pattern::column(upper[0], upper[1]))}};
    }
    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 2>
    upper_guarantees(const array<vector_guarantee, 2>& lower)
    {
        return {{detail::restrict_to(lower[0], Pattern::rows_alike), detail::restrict_to(lower[1], Pattern::chunk)}};
    }
};

/// Lengths are {rows, columns}.
template <class Lengths, class Pattern>
constexpr TEGULA_INLINE auto make_xor_transform(const Lengths& lengths, Pattern)
{
    const auto both = as_lengths(lengths);
    using types = decltype(as_lengths(lengths));
    static_assert(types::size() == 2, "tegula: xor takes the two lengths {rows, columns}");
    if constexpr (is_constant<tuple_element<1, types>>)
        static_assert(
            tuple_element<1, types>::value % (Pattern::chunk * Pattern::chunk_group()) == 0,
            "tegula: the columns of an xor transform must be a multiple of its chunk times its group of chunks");
    return xor_transform<tuple_element<0, types>, tuple_element<1, types>, Pattern>{get<0>(both), get<1>(both)};
}

} // namespace tegula
