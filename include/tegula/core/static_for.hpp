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
    detail::static_for_each(f, std::make_integer_sequence<int, N>{});
}

} // namespace tegula
