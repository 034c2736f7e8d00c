#pragma once

#include <tegula/core/convert.hpp>

namespace tegula {

/// The type that kernels compute elements of T in: float for half, bfloat16 and narrower floating-point types, else T.
template <class T>
using computed_type = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

template <class T>
constexpr TEGULA_INLINE computed_type<T> to_computed(const T& x)
{
    if constexpr (std::is_arithmetic_v<T>)
        return x;
    else
        return convert<float>(x);
}

/// x as an element of To. Floating-point types round to nearest; from a floating-point number to an integer it
/// truncates toward zero.
template <class To, class From>
constexpr TEGULA_INLINE To from_computed(const From& x)
{
    if constexpr (std::is_same_v<To, From>)
        return x;
    else if constexpr (std::is_arithmetic_v<To> && std::is_arithmetic_v<From>)
        return static_cast<To>(x);
    else
        return convert<To>(static_cast<float>(x));
}

} // namespace tegula
