#pragma once

#include <tegula/core/sequence.hpp>

#include <utility>

namespace tegula {

namespace detail {
TEGULA_CALLS_BACK
template <class F, int... Is>
constexpr TEGULA_INLINE void static_for_each(F&& f, std::integer_sequence<int, Is...>)
{
    (f(constant<Is>{}), ...);
}
} // namespace detail

/// Calls f(constant<0>{}) ... f(constant<N - 1>{}): a loop whose counter is a compile-time value.
TEGULA_CALLS_BACK
template <int N, class F>
constexpr TEGULA_INLINE void static_for(F&& f)
{
    if constexpr (N <= 4) {
        // Most loops are short, and a function less for each is compiled sooner.
        if constexpr (N > 0)
            f(constant<0>{});
        if constexpr (N > 1)
            f(constant<1>{});
        if constexpr (N > 2)
            f(constant<2>{});
        if constexpr (N > 3)
            f(constant<3>{});
    } else {
        detail::static_for_each(f, std::make_integer_sequence<int, N>{});
    }
}

} // namespace tegula
