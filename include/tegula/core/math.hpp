#pragma once

#include <tegula/core/config.hpp>

/// Arithmetic of sizes, for hosts, devices and the compiler.

namespace tegula {

/// The lesser of two values of one type.
template <class T>
constexpr TEGULA_HOST_DEVICE T min(T x, T y)
{
    return y < x ? y : x;
}

/// The greater of two values of one type.
template <class T>
constexpr TEGULA_HOST_DEVICE T max(T x, T y)
{
    return x < y ? y : x;
}

/// x / y rounded up. Precondition: x >= 0, y > 0, and x + y - 1 does not overflow.
template <class X, class Y>
constexpr TEGULA_HOST_DEVICE auto ceil_div(X x, Y y)
{
    return (x + y - 1) / y;
}

/// The least multiple of y that is not below x. Precondition: as for ceil_div.
template <class X, class Y>
constexpr TEGULA_HOST_DEVICE auto round_up(X x, Y y)
{
    return ceil_div(x, y) * y;
}

/// The greatest common divisor; the other number if one is 0. Precondition: x, y >= 0.
template <class T>
constexpr TEGULA_HOST_DEVICE T gcd(T x, T y)
{
    while (y != 0) {
        const T rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

/// The greatest power of two that divides n, at most `limit`. For n = 0: the greatest at most `limit`.
/// Precondition: limit > 0, and 2 * limit does not overflow.
template <class T>
constexpr TEGULA_HOST_DEVICE T power_of_two_divisor(T n, T limit)
{
    T p = 1;
    while (2 * p <= limit && n % (2 * p) == 0)
        p *= 2;
    return p;
}

/// Whether n is 1, 2, 4, ...; 0 and negative numbers are not.
template <class T>
constexpr TEGULA_HOST_DEVICE bool is_power_of_two(T n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/// The logarithm of n to base 2, rounded down. Precondition: n > 0.
template <class T>
constexpr TEGULA_HOST_DEVICE int log2_of(T n)
{
    if constexpr (sizeof(T) <= sizeof(unsigned))
        return 31 - __builtin_clz(static_cast<unsigned>(n));
    else
        return 63 - __builtin_clzll(static_cast<unsigned long long>(n));
}

/// The greatest power of two not above n. Precondition: n > 0.
constexpr TEGULA_HOST_DEVICE index_t power_of_two_below(index_t n)
{
    index_t p = 1;
    while (2 * p <= n)
        p *= 2;
    return p;
}

} // namespace tegula
