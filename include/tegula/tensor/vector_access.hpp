#pragma once

#include <tegula/arch/raw_vector.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/tensor/choose.hpp>
#include <tegula/tensor/tensor_view.hpp>

namespace tegula::detail {

/// Bytes that one instruction moves of N neighbouring elements of T. A vector of several elements is aligned to all of
/// it, as far as it is a power of two; a single element only as its type asks.
template <class T, int N>
inline constexpr int piece_bytes = power_of_two_divisor(N * static_cast<int>(sizeof(T)),
                                                        N == 1 && alignof(T) < 16 ? static_cast<int>(alignof(T)) : 16);

/// N elements of T as the pieces that instructions move.
template <class T, int N>
using vector_pieces = array<raw_vector<piece_bytes<T, N>>, N* static_cast<int>(sizeof(T)) / piece_bytes<T, N>>;

/// Reads N elements of T at p; nothing is touched and the result is zero where active is false.
template <class Target, address_space Space, int N, class T>
TEGULA_INLINE array<std::remove_const_t<T>, N> read_vector(T* p, bool active)
{
    using value_type = std::remove_const_t<T>;
    static_assert(std::is_trivially_copyable_v<value_type>, "tegula: elements are moved as bytes");
    if constexpr (Space == address_space::registers) {
        array<value_type, N> values{};
        if (active)
            static_for<N>([&](auto j) { values[j] = p[j]; });
        return values;
    } else {
        vector_pieces<value_type, N> pieces;
        const auto* from = reinterpret_cast<const raw_vector<piece_bytes<value_type, N>>*>(p);
        static_for<pieces.size()>([&](auto i) {
            if constexpr (Space == address_space::global)
                pieces[i] = Target::load_global(from + i, active);
            else
                pieces[i] = Target::load_shared(from + i, active);
        });
        return __builtin_bit_cast(array<value_type, N>, pieces);
    }
}

/// Writes N elements of T at p; nothing is touched where active is false.
template <class Target, address_space Space, int N, class T>
TEGULA_INLINE void write_vector(T* p, const array<T, N>& values, bool active)
{
    static_assert(std::is_trivially_copyable_v<T>, "tegula: elements are moved as bytes");
    if constexpr (Space == address_space::registers) {
        if (active)
            static_for<N>([&](auto j) { p[j] = values[j]; });
    } else {
        const vector_pieces<T, N> pieces = __builtin_bit_cast(vector_pieces<T, N>, values);
        auto* to = reinterpret_cast<raw_vector<piece_bytes<T, N>>*>(p);
        static_for<pieces.size()>([&](auto i) {
            if constexpr (Space == address_space::global)
                Target::store_global(to + i, pieces[i], active);
            else
                Target::store_shared(to + i, pieces[i], active);
        });
    }
}

/// Element j of a vector of registers for a run-time j, by comparing j with every position: an index would move the
/// vector to memory.
template <class T, int N>
TEGULA_INLINE T select_element(const array<T, N>& values, int j)
{
    T picked = values[0];
    static_for<N>([&](auto i) { picked = choose(j == i, values[i], picked); });
    return picked;
}

} // namespace tegula::detail
