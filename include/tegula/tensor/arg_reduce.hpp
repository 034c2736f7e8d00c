#pragma once

#include <tegula/tensor/reduce.hpp>
#include <tegula/tensor/sweep.hpp>

namespace tegula {

/// An element and its index along a dimension of the tile.
template <class T>
struct indexed
{
    T value;
    index_t index;
    friend constexpr bool operator==(const indexed&, const indexed&) = default;
};

namespace detail {

template <class T>
constexpr TEGULA_INLINE bool is_nan(const T& x)
{
    return x != x;
}

} // namespace detail

/// Whether a stands before b if the largest comes first: NaN before all numbers, among equals the lower index. +0 and
/// -0 are equal.
struct largest_first
{
    template <class T>
    TEGULA_INLINE bool operator()(const indexed<T>& a, const indexed<T>& b) const
    {
        const bool a_nan = detail::is_nan(a.value), b_nan = detail::is_nan(b.value);
        const bool equal = a.value == b.value || (a_nan && b_nan);
        return choose(equal, a.index < b.index, a_nan || a.value > b.value);
    }
};

/// Whether a stands before b if the smallest comes first; NaN before all numbers here too.
struct smallest_first
{
    template <class T>
    TEGULA_INLINE bool operator()(const indexed<T>& a, const indexed<T>& b) const
    {
        const bool a_nan = detail::is_nan(a.value), b_nan = detail::is_nan(b.value);
        const bool equal = a.value == b.value || (a_nan && b_nan);
        return choose(equal, a.index < b.index, a_nan || a.value < b.value);
    }
};

/// Returns the one of two elements that stands first by Before.
template <class Before>
struct first_of
{
    template <class T>
    TEGULA_INLINE T operator()(const T& a, const T& b) const
    {
        return choose(Before{}(a, b), a, b);
    }
};
template <class Before>
inline constexpr bool is_commutative<first_of<Before>> = true;

/// Every element with its index along tensor dimension Dim of the tile.
template <class Target, index_t Dim, class T, class Distribution>
TEGULA_INLINE distributed_tensor<indexed<T>, Distribution> with_index(const distributed_tensor<T, Distribution>& tensor)
{
    distributed_tensor<indexed<T>, Distribution> result;
    static_for<Distribution::num_registers>([&](auto r) { result[r].value = tensor[r]; });
    sweep<Target>(result, [](indexed<T>& element, const auto& x) { element.index = x[Dim]; });
    return result;
}

/// Bytes of shared memory that arg_max and arg_min of a tile of T need.
template <class Target, class T, class Distribution, index_t Dim>
inline constexpr index_t arg_reduce_scratch_bytes = reduce_scratch_bytes<Target, indexed<T>, Distribution, Dim>;

/// The largest element along tensor dimension Dim and its index there, the lowest among equals; the first NaN if there
/// is one. The result is a tile of indexed<T> reduced over Dim. Scratch memory and lanes that take part: as for reduce.
template <class Target, index_t Dim, class T, class Distribution, class Scratch = detail::no_scratch>
TEGULA_INLINE auto arg_max(const distributed_tensor<T, Distribution>& tensor, Scratch scratch = nullptr,
                           call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, arg_reduce_scratch_bytes<Target, T, Distribution, Dim>>) > 0);
    return reduce<Target, Dim>(with_index<Target, Dim>(tensor), first_of<largest_first>{}, scratch, where);
}

/// The smallest element along tensor dimension Dim and its index there. Otherwise like arg_max.
template <class Target, index_t Dim, class T, class Distribution, class Scratch = detail::no_scratch>
TEGULA_INLINE auto arg_min(const distributed_tensor<T, Distribution>& tensor, Scratch scratch = nullptr,
                           call_site where = call_site::here())
{
    static_assert(sizeof(detail::check_scratch<Scratch, arg_reduce_scratch_bytes<Target, T, Distribution, Dim>>) > 0);
    return reduce<Target, Dim>(with_index<Target, Dim>(tensor), first_of<smallest_first>{}, scratch, where);
}

} // namespace tegula
