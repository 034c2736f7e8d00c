#pragma once

#include <tegula/core/sequence.hpp>

#include <utility>

namespace tegula {

namespace detail {
template <int I, class T>
struct tuple_leaf
{
    [[no_unique_address]] T value;
};

template <class Indices, class... Ts>
struct tuple_base;
template <int... Is, class... Ts>
struct tuple_base<std::integer_sequence<int, Is...>, Ts...> : tuple_leaf<Is, Ts>...
{};

template <int I, class T>
constexpr TEGULA_INLINE T& leaf_value(tuple_leaf<I, T>& leaf)
{
    return leaf.value;
}
template <int I, class T>
constexpr TEGULA_INLINE const T& leaf_value(const tuple_leaf<I, T>& leaf)
{
    return leaf.value;
}
template <int I, class T>
T leaf_type(const tuple_leaf<I, T>&);
} // namespace detail

/// Heterogeneous list of values; as a type, the list of types in an encoding.
template <class... Ts>
struct tuple : detail::tuple_base<std::make_integer_sequence<int, sizeof...(Ts)>, Ts...>
{
    static constexpr TEGULA_HOST_DEVICE int size() { return sizeof...(Ts); }
};

/// The name that encodings written for CK Tile use.
template <class... Ts>
using Tuple = tuple<Ts...>;

template <int I, class... Ts>
constexpr TEGULA_INLINE auto& get(tuple<Ts...>& t)
{
    return detail::leaf_value<I>(t);
}
template <int I, class... Ts>
constexpr TEGULA_INLINE const auto& get(const tuple<Ts...>& t)
{
    return detail::leaf_value<I>(t);
}

template <int I, class Tuple>
using tuple_element = decltype(detail::leaf_type<I>(std::declval<const Tuple&>()));

template <class... Ts>
constexpr TEGULA_INLINE tuple<Ts...> make_tuple(Ts... ts)
{
    return {{{ts}...}};
}

namespace detail {
template <class... As, class... Bs, int... Is, int... Js>
constexpr TEGULA_INLINE tuple<As..., Bs...> concatenate(const tuple<As...>& a, const tuple<Bs...>& b,
                                                        std::integer_sequence<int, Is...>,
                                                        std::integer_sequence<int, Js...>)
{
    return {{{get<Is>(a)}..., {get<Js>(b)}...}};
}
/// The values of a, then those of b.
template <class... As, class... Bs>
constexpr TEGULA_INLINE tuple<As..., Bs...> concatenate(const tuple<As...>& a, const tuple<Bs...>& b)
{
    return detail::concatenate(a, b, std::make_integer_sequence<int, sizeof...(As)>{},
                               std::make_integer_sequence<int, sizeof...(Bs)>{});
}
} // namespace detail

} // namespace tegula

/// Parts of this header that other folders use.
namespace tegula::internal {
using tegula::detail::concatenate;
} // namespace tegula::internal
