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

/// Terms of the longest fold: clang 19 takes no longer ones without a flag.
inline constexpr int longest_fold = 256;

/// f(constant<First>{}) ... f(constant<Last - 1>{}), in folds one after the other.
TEGULA_CALLS_BACK
template <int First, int Last, class F>
constexpr TEGULA_INLINE void static_for_between(const F& f)
{
    if constexpr (First < Last) {
        constexpr int count = Last - First < longest_fold ? Last - First : longest_fold;
        static_for_each([&](auto i) { f(constant<First + decltype(i)::value>{}); },
                        std::make_integer_sequence<int, count>{});
        static_for_between<First + count, Last>(f);
    }
}
} // namespace detail

/// Calls f(constant<0>{}) ... f(constant<N - 1>{}): a loop whose counter is a compile-time value. Precondition: N >= 0.
///
/// Every call is a function of its own to the compiler. If a body is one expression that every kernel has by the
/// hundred, a fold over an integer_sequence compiles faster.
TEGULA_CALLS_BACK
template <int N, class F>
constexpr TEGULA_INLINE void static_for(F&& f)
{
    static_assert(N >= 0, "tegula: static_for counts from 0 to N - 1; N must not be negative");
    if constexpr (N <= 4) {
        // Most loops are short; they compile faster with one function fewer.
        if constexpr (N > 0)
            f(constant<0>{});
        if constexpr (N > 1)
            f(constant<1>{});
        if constexpr (N > 2)
            f(constant<2>{});
        if constexpr (N > 3)
            f(constant<3>{});
    } else if constexpr (N <= detail::longest_fold || TEGULA_DEVICE_PASS) {
        detail::static_for_each(f, std::make_integer_sequence<int, N>{});
    } else {
        detail::static_for_between<0, N>(f);
    }
}

} // namespace tegula
