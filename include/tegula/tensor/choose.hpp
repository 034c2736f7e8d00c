#pragma once

#include <tegula/arch/raw_vector.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/static_for.hpp>

namespace tegula {

/// first ? a : b, word by word. The operator on two objects of several words chooses between their addresses, which
/// moves registers to memory. So use this for operations on pairs of value and index.
template <class T>
TEGULA_INLINE T choose(bool first, const T& a, const T& b)
{
    if constexpr (std::is_arithmetic_v<T> || sizeof(T) <= 4) {
        const T x = a;
        const T y = b;
        return first ? x : y;
    } else {
        constexpr int bytes = power_of_two_divisor(static_cast<int>(sizeof(T)), 4);
        using word = typename internal::raw_word<bytes>::type;
        using words = array<word, static_cast<int>(sizeof(T)) / bytes>;
        const words from_a = __builtin_bit_cast(words, a);
        const words from_b = __builtin_bit_cast(words, b);
        words chosen;
        static_for<words::size()>([&](auto i) {
            const word x = from_a[i];
            const word y = from_b[i];
            chosen[i] = first ? x : y;
        });
        return __builtin_bit_cast(T, chosen);
    }
}

} // namespace tegula
