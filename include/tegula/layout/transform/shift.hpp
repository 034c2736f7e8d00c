#pragma once

#include <tegula/layout/transform/common.hpp>

/// One dimension moved along itself: pass_through, pad, left_pad, right_pad, slice, offset. lower = upper + shift.
namespace tegula {

namespace detail {
/// The part that these transforms share: the step passes unchanged.
struct shift_base
{
    static constexpr int num_lower = 1;
    static constexpr int num_upper = 1;

    template <class Low>
    static constexpr TEGULA_INLINE array<Low, 1> lower_step(const multi_index<1>& step)
    {
        return {{static_cast<Low>(step[0])}};
    }
};

/// A shift keeps vectors whose length divides it; a run-time shift keeps single elements.
template <class Shift>
constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 1> shifted(const array<vector_guarantee, 1>& lower)
{
    return {{restrict_to(lower[0], known_divisor<Shift>(1))}};
}
} // namespace detail

/// lower = upper.
template <class Length>
struct pass_through_transform : detail::shift_base
{
    [[no_unique_address]] Length length;

    template <int>
    constexpr TEGULA_INLINE Length upper_length() const
    {
        return length;
    }
    template <class Low>
    static constexpr TEGULA_INLINE array<Low, 1> lower_index(const multi_index<1>& upper)
    {
        return {{static_cast<Low>(upper[0])}};
    }
    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 1>
    upper_guarantees(const array<vector_guarantee, 1>& lower)
    {
        return lower;
    }
};

/// `left` positions before and `right` positions after the data are addressable but not valid. lower = upper - left.
template <class LowerLength, class Left, class Right>
struct pad_transform : detail::shift_base
{
    [[no_unique_address]] tuple<LowerLength, Left, Right> numbers; ///< in one tuple, as those of embed_transform

    template <int>
    constexpr TEGULA_INLINE auto upper_length() const
    {
        return length_sum(get<0>(numbers), get<1>(numbers), get<2>(numbers));
    }
    template <class Low>
    constexpr TEGULA_INLINE array<Low, 1> lower_index(const multi_index<1>& upper) const
    {
        return {{static_cast<Low>(upper[0] - get<1>(numbers))}};
    }
    constexpr TEGULA_INLINE bool is_valid(const multi_index<1>& upper) const
    {
        const index_t i = upper[0] - get<1>(numbers);
        return i >= 0 && i < get<0>(numbers);
    }
    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 1>
    upper_guarantees(const array<vector_guarantee, 1>& lower)
    {
        return detail::shifted<Left>(lower);
    }
};

/// Positions [begin, end) of the lower dimension. lower = upper + begin.
template <class Begin, class End>
struct slice_transform : detail::shift_base
{
    [[no_unique_address]] Begin begin;
    [[no_unique_address]] End end;

    template <int>
    constexpr TEGULA_INLINE auto upper_length() const
    {
        return length_difference(end, begin);
    }
    template <class Low>
    constexpr TEGULA_INLINE array<Low, 1> lower_index(const multi_index<1>& upper) const
    {
        return {{static_cast<Low>(upper[0] + begin)}};
    }
    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 1>
    upper_guarantees(const array<vector_guarantee, 1>& lower)
    {
        return detail::shifted<Begin>(lower);
    }
};

/// A dimension of `length` positions that starts `offset` further in the lower dimension. lower = upper + offset.
template <class Length, class Offset>
struct offset_transform : detail::shift_base
{
    [[no_unique_address]] Length length;
    [[no_unique_address]] Offset offset;

    template <int>
    constexpr TEGULA_INLINE Length upper_length() const
    {
        return length;
    }
    template <class Low>
    constexpr TEGULA_INLINE array<Low, 1> lower_index(const multi_index<1>& upper) const
    {
        return {{static_cast<Low>(upper[0]) + static_cast<Low>(offset)}};
    }
    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 1>
    upper_guarantees(const array<vector_guarantee, 1>& lower)
    {
        return detail::shifted<Offset>(lower);
    }
};

/// Each argument is constant<N> or an integer, in elements.
template <class Length>
constexpr TEGULA_INLINE auto make_pass_through_transform(Length length)
{
    return pass_through_transform<decltype(as_length(length))>{{}, as_length(length)};
}
template <class LowerLength, class Left, class Right>
constexpr TEGULA_INLINE auto make_pad_transform(LowerLength lower_length, Left left, Right right)
{
    return pad_transform<decltype(as_length(lower_length)), decltype(as_length(left)), decltype(as_length(right))>{
        {}, make_tuple(as_length(lower_length), as_length(left), as_length(right))};
}
template <class LowerLength, class Left>
constexpr TEGULA_INLINE auto make_left_pad_transform(LowerLength lower_length, Left left)
{
    return make_pad_transform(lower_length, left, constant<0>{});
}
template <class LowerLength, class Right>
constexpr TEGULA_INLINE auto make_right_pad_transform(LowerLength lower_length, Right right)
{
    return make_pad_transform(lower_length, constant<0>{}, right);
}
/// The lower length is that of the sliced dimension; 0 <= begin <= end <= lower_length.
template <class LowerLength, class Begin, class End>
constexpr TEGULA_INLINE auto make_slice_transform(LowerLength, Begin begin, End end)
{
    if constexpr (is_constant<LowerLength> && is_constant<End>)
        static_assert(End::value <= LowerLength::value, "tegula: a slice must end inside its dimension");
    if constexpr (is_constant<Begin> && is_constant<End>)
        static_assert(0 <= Begin::value && Begin::value <= End::value, "tegula: a slice must begin before it ends");
    return slice_transform<decltype(as_length(begin)), decltype(as_length(end))>{{}, as_length(begin), as_length(end)};
}
template <class Length, class Offset>
constexpr TEGULA_INLINE auto make_offset_transform(Length length, Offset offset)
{
    return offset_transform<decltype(as_length(length)), decltype(as_stride(offset))>{
        {}, as_length(length), as_stride(offset)};
}

} // namespace tegula
