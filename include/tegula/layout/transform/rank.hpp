#pragma once

#include <tegula/layout/transform/common.hpp>

/// Dimensions that appear or disappear: replicate, insert, freeze.
namespace tegula {

template <class Lengths>
struct replicate_transform;

/// Upper dimensions with no lower one: every position holds the same elements.
template <class... Lengths>
struct replicate_transform<tuple<Lengths...>>
{
    static constexpr int num_lower = 0;
    static constexpr int num_upper = sizeof...(Lengths);

    [[no_unique_address]] tuple<Lengths...> lengths;

    template <int I>
    constexpr TEGULA_INLINE auto upper_length() const
    {
        return get<I>(lengths);
    }
    template <class Low>
    static constexpr TEGULA_INLINE array<Low, 0> lower_index(const multi_index<num_upper>&)
    {
        return {};
    }
    template <class Low>
    static constexpr TEGULA_INLINE array<Low, 0> lower_step(const multi_index<num_upper>&)
    {
        return {};
    }
    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, num_upper>
    upper_guarantees(const array<vector_guarantee, 0>&)
    {
        array<vector_guarantee, num_upper> upper{};
        for (int i = 0; i < num_upper; ++i)
            upper[i] = {any_vector_length, 0};
        return upper;
    }
};

/// One upper dimension with no lower one.
template <class Length>
using insert_transform = replicate_transform<tuple<Length>>;

/// A lower dimension held at one index; it has no upper dimension.
template <class Index>
struct freeze_transform
{
    static constexpr int num_lower = 1;
    static constexpr int num_upper = 0;

    [[no_unique_address]] Index index;

    template <class Low>
    constexpr TEGULA_INLINE array<Low, 1> lower_index(const multi_index<0>&) const
    {
        return {{static_cast<Low>(index)}};
    }
    template <class Low>
    static constexpr TEGULA_INLINE array<Low, 1> lower_step(const multi_index<0>&)
    {
        return {{Low{0}}};
    }
    static constexpr TEGULA_HOST_DEVICE array<vector_guarantee, 0> upper_guarantees(const array<vector_guarantee, 1>&)
    {
        return {};
    }
};

template <class Lengths>
constexpr TEGULA_INLINE auto make_replicate_transform(const Lengths& lengths)
{
    return replicate_transform<decltype(as_lengths(lengths))>{as_lengths(lengths)};
}
template <class Length>
constexpr TEGULA_INLINE auto make_insert_transform(Length length)
{
    return insert_transform<decltype(as_length(length))>{make_tuple(as_length(length))};
}
template <class Index>
constexpr TEGULA_INLINE auto make_freeze_transform(Index index)
{
    return freeze_transform<decltype(as_length(index))>{as_length(index)};
}

} // namespace tegula
