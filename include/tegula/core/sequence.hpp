#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// A list of integers as a type.
template <index_t... Is>
struct sequence
{
    static constexpr int size() { return sizeof...(Is); }

    /// The i-th integer; i must be below size().
    static constexpr TEGULA_HOST_DEVICE index_t at(int i)
    {
        const index_t values[sizeof...(Is) + 1] = {Is..., 0};
        return values[i];
    }

    friend constexpr bool operator==(sequence, sequence) { return true; }
};

/// The name that encodings written for CK Tile use.
template <index_t... Is>
using Sequence = sequence<Is...>;

/// One integer as a type that converts to its value.
template <index_t I>
struct constant
{
    using value_type = index_t;
    static constexpr index_t value = I;
    constexpr TEGULA_HOST_DEVICE operator index_t() const { return I; }
};

template <class T>
inline constexpr bool is_constant = false;
template <index_t I>
inline constexpr bool is_constant<constant<I>> = true;

/// A constant that takes long to compute, given as a template argument: compilers compute that once, but an initializer
/// several times (clang for a GPU three times).
template <auto Value>
inline constexpr auto computed_once = Value;

template <class T>
inline constexpr bool is_sequence = false;
template <index_t... Is>
inline constexpr bool is_sequence<sequence<Is...>> = true;

} // namespace tegula
