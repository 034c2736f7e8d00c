#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tegula {

namespace detail {

/// Initialises any number, enumerator or pointer, and nothing else.
struct any_scalar
{
    template <class T>
        requires std::is_scalar_v<T>
    constexpr operator T() const noexcept;
};
/// Initialises any pointer, and nothing else.
struct any_pointer
{
    template <class T>
    constexpr operator T*() const noexcept;
};
/// Initialises anything that is not a reference.
struct any_member
{
    template <class T>
    constexpr operator T() const noexcept;
};

/// Whether T{any_scalar..., Last} is well-formed, with as many scalars as indices.
template <class T, class... Last, std::size_t... I>
consteval bool takes_scalars(std::index_sequence<I...>)
{
    return requires { T{(static_cast<void>(I), any_scalar{})..., Last{}...}; };
}

/// Scalars that T{...} takes. Inner aggregates and arrays need no braces of their own, so their scalars count too.
template <class T, std::size_t Count = 0>
consteval std::size_t count_scalars()
{
    if constexpr (Count < 64 && takes_scalars<T>(std::make_index_sequence<Count + 1>{}))
        return count_scalars<T, Count + 1>();
    else
        return Count;
}

template <class T, std::size_t... I>
consteval bool takes_pointer_anywhere(std::index_sequence<I...>)
{
    return (takes_scalars<T, any_pointer>(std::make_index_sequence<I>{}) || ...);
}

} // namespace detail

/// Whether it is known that an object of the type holds no pointer: it is a number, or an aggregate of at most 64 of
/// them at all depths. False for classes with constructors or private members: their members cannot be seen.
template <class T>
consteval bool holds_no_pointer()
{
    if constexpr (std::is_empty_v<T>) {
        return true;
    } else if constexpr (std::is_aggregate_v<T>) {
        constexpr std::size_t count = detail::count_scalars<T>();
        return count > 0 && !detail::takes_scalars<T, detail::any_member>(std::make_index_sequence<count>{}) &&
               !detail::takes_pointer_anywhere<T>(std::make_index_sequence<count>{});
    } else {
        return std::is_arithmetic_v<T> || std::is_enum_v<T>;
    }
}

} // namespace tegula
