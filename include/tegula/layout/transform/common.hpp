#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/tuple.hpp>

/// The parts that every transform is made of.
///
/// A transform maps the index of its upper dimensions (what the user of a descriptor sees) to the index of its lower
/// dimensions (nearer to memory). It is a small class with these members:
///
///   num_lower, num_upper                   numbers of dimensions
///   upper_length<I>()                      constant<N> or index_t, in elements
///   lower_index<Low>(upper)                the forward map; Low is index_t, or long_index_t if the lower dimension
///                                          is the element offset; not needed if it equals lower_step
///   lower_step<Low>(step)                  only linear (affine) transforms: the lower step of an upper step
///   is_valid(upper)                        only transforms that can leave the real data: whether `upper` is inside it
///   upper_guarantees(lower guarantees)     static: contiguity and alignment, see vector_guarantee
///
/// Every parameter is constant<N> (compile time) or index_t / long_index_t (run time). An index must be non-negative
/// where a transform divides (merge, modulo); elsewhere an index outside the data maps outside of it, without harm.
namespace tegula {

/// A compile-time length or stride stays itself; a run-time length is an index_t.
template <index_t N>
constexpr TEGULA_INLINE constant<N> as_length(constant<N>)
{
    return {};
}
constexpr TEGULA_INLINE index_t as_length(long_index_t length) { return static_cast<index_t>(length); }

/// A run-time stride keeps 32 bits if it came in 32 bits, and has 64 otherwise.
template <class T>
constexpr TEGULA_INLINE auto as_stride(T stride)
{
    if constexpr (is_constant<T>)
        return stride;
    else if constexpr (sizeof(T) <= sizeof(index_t) && std::is_signed_v<T>)
        return static_cast<index_t>(stride);
    else
        return static_cast<long_index_t>(stride);
}

namespace detail {
template <class Tuple>
using indices_of = std::make_integer_sequence<int, Tuple::size()>;

template <class Lengths, int... Is>
constexpr TEGULA_INLINE auto as_lengths(const Lengths& lengths, std::integer_sequence<int, Is...>)
{
    return make_tuple(tegula::as_length(get<Is>(lengths))...);
}
template <class Strides, int... Is>
constexpr TEGULA_INLINE auto as_strides(const Strides& strides, std::integer_sequence<int, Is...>)
{
    return make_tuple(tegula::as_stride(get<Is>(strides))...);
}
template <class T, int N, int... Is>
constexpr TEGULA_INLINE auto array_to_tuple(const array<T, N>& values, std::integer_sequence<int, Is...>)
{
    return make_tuple(values[Is]...);
}
} // namespace detail

/// Lengths as a tuple of constant<N> and index_t, from a tuple of integers, a sequence, or an array.
template <class... Ts>
constexpr TEGULA_INLINE auto as_lengths(const tuple<Ts...>& lengths)
{
    return detail::as_lengths(lengths, detail::indices_of<tuple<Ts...>>{});
}
template <index_t... Is>
constexpr TEGULA_INLINE tuple<constant<Is>...> as_lengths(sequence<Is...>)
{
    return {};
}
template <int N>
constexpr TEGULA_INLINE auto as_lengths(const array<index_t, N>& lengths)
{
    return detail::array_to_tuple(lengths, std::make_integer_sequence<int, N>{});
}

/// Strides likewise, as a tuple of constant<N>, index_t and long_index_t.
template <class... Ts>
constexpr TEGULA_INLINE auto as_strides(const tuple<Ts...>& strides)
{
    return detail::as_strides(strides, detail::indices_of<tuple<Ts...>>{});
}
template <index_t... Is>
constexpr TEGULA_INLINE tuple<constant<Is>...> as_strides(sequence<Is...>)
{
    return {};
}
template <class T, int N>
constexpr TEGULA_INLINE auto as_strides(const array<T, N>& strides)
{
    return detail::array_to_tuple(strides, std::make_integer_sequence<int, N>{});
}

/// Sum of lengths, a constant if all are.
template <class... Ts>
constexpr TEGULA_INLINE auto length_sum(Ts... lengths)
{
    if constexpr ((is_constant<Ts> && ...))
        return constant<(Ts::value + ... + 0)>{};
    else
        return (static_cast<index_t>(lengths) + ... + 0);
}

/// a - b, a constant if both are.
template <class A, class B>
constexpr TEGULA_INLINE auto length_difference(A a, B b)
{
    if constexpr (is_constant<A> && is_constant<B>)
        return constant<A::value - B::value>{};
    else
        return static_cast<index_t>(a) - static_cast<index_t>(b);
}

/// Product of lengths, a constant if all are; it must be below 2^31.
template <class... Ts>
constexpr TEGULA_INLINE auto length_product(Ts... lengths)
{
    if constexpr ((is_constant<Ts> && ...))
        return constant<(Ts::value * ... * 1)>{};
    else
        return (static_cast<index_t>(lengths) * ... * 1);
}

/// A guarantee at compile time about accesses along one dimension. At every index that is a multiple of `length` in
/// this dimension, whatever the others are, the next `length` elements lie `stride` elements apart. If the stride is 1,
/// the first one's offset is a multiple of `length`. It holds for every divisor of `length` too. The length is a power
/// of two. Nothing is said about validity: a vector may be inside the data in part only.
struct vector_guarantee
{
    index_t length = 1;
    index_t stride = 1;

    friend constexpr bool operator==(const vector_guarantee&, const vector_guarantee&) = default;
};

/// The length of a dimension along which every run of elements is evenly spaced.
inline constexpr index_t any_vector_length = index_t{1} << 30;

/// Nothing is known: single elements.
inline constexpr vector_guarantee no_vector_guarantee{1, 1};

namespace detail {
constexpr TEGULA_HOST_DEVICE index_t common_divisor(index_t a, index_t b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        const index_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/// A number that certainly divides a length or stride: its value, or the promise made for run-time ones.
template <class T>
constexpr TEGULA_HOST_DEVICE index_t known_divisor(index_t promise)
{
    if constexpr (is_constant<T>)
        return T::value;
    else
        return promise;
}

/// The guarantee left when vectors may start only at multiples of `divisor`; 0 leaves it as it is.
constexpr TEGULA_HOST_DEVICE vector_guarantee restrict_to(vector_guarantee lower, index_t divisor)
{
    return {common_divisor(lower.length, divisor), lower.stride};
}
} // namespace detail

/// The lower index of `upper`. A transform without lower_index has no offset, and its lower step is used.
template <class Low, class Transform>
constexpr TEGULA_INLINE array<Low, Transform::num_lower> map_to_lower(const Transform& transform,
                                                                      const multi_index<Transform::num_upper>& upper)
{
    if constexpr (requires { transform.template lower_index<Low>(upper); })
        return transform.template lower_index<Low>(upper);
    else
        return transform.template lower_step<Low>(upper);
}

/// Moves `lower` to the image of `upper`, which lies `step` away from the old upper index; `diff` receives the change.
/// Linear transforms map the step; the others, which have no cheaper incremental form, are evaluated again.
template <class Low, class Transform>
constexpr TEGULA_INLINE void update_lower_index(const Transform& transform, array<Low, Transform::num_lower>& diff,
                                                array<Low, Transform::num_lower>& lower,
                                                const multi_index<Transform::num_upper>& step,
                                                const multi_index<Transform::num_upper>& upper)
{
    if constexpr (requires { transform.template lower_step<Low>(step); }) {
        diff = transform.template lower_step<Low>(step);
        for (int i = 0; i < Transform::num_lower; ++i)
            lower[i] += diff[i];
    } else {
        const auto updated = map_to_lower<Low>(transform, upper);
        for (int i = 0; i < Transform::num_lower; ++i)
            diff[i] = updated[i] - lower[i];
        lower = updated;
    }
}

/// Whether `upper` is inside the real data as far as this transform can tell.
template <class Transform>
constexpr TEGULA_INLINE bool is_valid_upper_index(const Transform& transform,
                                                  const multi_index<Transform::num_upper>& upper)
{
    if constexpr (requires { transform.is_valid(upper); })
        return transform.is_valid(upper);
    else
        return true;
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::indices_of;
} // namespace tegula::internal
