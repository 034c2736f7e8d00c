#pragma once

#include <tegula/layout/transform/common.hpp>

namespace tegula {

/// lower = table[upper]: gathered rows, pages of a cache. A negative entry marks a hole, which is not valid.
/// Table is a pointer (of memory that outlives the descriptor) or an array held inside. An upper index outside
/// [0, length) reads nothing, maps to 0 and is not valid.
template <class Table, class Length>
struct indirect_transform
{
    static constexpr int num_lower = 1;
    static constexpr int num_upper = 1;

    Table table;
    [[no_unique_address]] Length length;

    template <int>
    constexpr TEGULA_INLINE Length upper_length() const
    {
        return length;
    }
    template <class Low>
    constexpr TEGULA_INLINE array<Low, 1> lower_index(const multi_index<1>& upper) const
    {
        return {{is_inside(upper[0]) ? static_cast<Low>(table[upper[0]]) : Low{0}}};
    }
    constexpr TEGULA_INLINE bool is_valid(const multi_index<1>& upper) const
    {
        return is_inside(upper[0]) && table[upper[0]] >= 0;
    }
    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 1> upper_guarantees(const array<vector_guarantee, 1>&)
    {
        return {{no_vector_guarantee}};
    }

private:
    constexpr TEGULA_INLINE bool is_inside(index_t i) const { return i >= 0 && i < length; }
};

template <class Table, class Length>
constexpr TEGULA_INLINE auto make_indirect_transform(Table table, Length length)
{
    return indirect_transform<Table, decltype(as_length(length))>{table, as_length(length)};
}

} // namespace tegula
