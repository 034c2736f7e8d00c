#pragma once

#include <tegula/core/config.hpp>

#include <type_traits>

namespace tegula {

/// Fixed-size array usable in constant expressions and in device code without compiler flags.
template <class T, int N>
struct array
{
    T values[N];

    static constexpr TEGULA_HOST_DEVICE int size() { return N; }
    constexpr TEGULA_HOST_DEVICE T& operator[](int i) { return values[i]; }
    constexpr TEGULA_HOST_DEVICE const T& operator[](int i) const { return values[i]; }
    constexpr TEGULA_HOST_DEVICE T* begin() { return values; }
    constexpr TEGULA_HOST_DEVICE T* end() { return values + N; }
    constexpr TEGULA_HOST_DEVICE const T* begin() const { return values; }
    constexpr TEGULA_HOST_DEVICE const T* end() const { return values + N; }

    friend constexpr TEGULA_HOST_DEVICE bool operator==(const array& a, const array& b)
    {
        for (int i = 0; i < N; ++i)
            if (!(a.values[i] == b.values[i]))
                return false;
        return true;
    }
};

template <class T>
struct array<T, 0>
{
    static constexpr TEGULA_HOST_DEVICE int size() { return 0; }
    constexpr TEGULA_HOST_DEVICE T& operator[](int) const { return *static_cast<T*>(nullptr); }
    constexpr TEGULA_HOST_DEVICE T* begin() const { return nullptr; }
    constexpr TEGULA_HOST_DEVICE T* end() const { return nullptr; }
    friend constexpr TEGULA_HOST_DEVICE bool operator==(const array&, const array&) { return true; }
};

template <class T, class... Ts>
array(T, Ts...) -> array<T, 1 + static_cast<int>(sizeof...(Ts))>;

/// One index per dimension, in elements.
template <int N>
using multi_index = array<index_t, N>;

/// A vector of run-time size and compile-time capacity. A push past the capacity is dropped and remembered
/// in overflowed(), so that a parser of foreign data can report it.
template <class T, int Capacity>
struct static_vector
{
    T values[Capacity]{};
    int count = 0;
    bool full = false;

    constexpr static_vector() = default;
    template <class... Ts>
        requires(sizeof...(Ts) > 0 && (std::is_constructible_v<T, Ts> && ...))
    constexpr TEGULA_HOST_DEVICE static_vector(Ts... ts) : values{static_cast<T>(ts)...}, count(sizeof...(Ts))
    {
        static_assert(sizeof...(Ts) <= Capacity);
    }

    static constexpr int capacity() { return Capacity; }
    constexpr TEGULA_HOST_DEVICE int size() const { return count; }
    constexpr TEGULA_HOST_DEVICE bool empty() const { return count == 0; }
    constexpr TEGULA_HOST_DEVICE bool overflowed() const { return full; }
    constexpr TEGULA_HOST_DEVICE void push_back(const T& value)
    {
        if (count < Capacity)
            values[count++] = value;
        else
            full = true;
    }
    constexpr TEGULA_HOST_DEVICE T& operator[](int i) { return values[i]; }
    constexpr TEGULA_HOST_DEVICE const T& operator[](int i) const { return values[i]; }
    constexpr TEGULA_HOST_DEVICE T& back() { return values[count - 1]; }
    constexpr TEGULA_HOST_DEVICE const T& back() const { return values[count - 1]; }
    constexpr TEGULA_HOST_DEVICE T* begin() { return values; }
    constexpr TEGULA_HOST_DEVICE T* end() { return values + count; }
    constexpr TEGULA_HOST_DEVICE const T* begin() const { return values; }
    constexpr TEGULA_HOST_DEVICE const T* end() const { return values + count; }

    friend constexpr TEGULA_HOST_DEVICE bool operator==(const static_vector& a, const static_vector& b)
    {
        if (a.count != b.count)
            return false;
        for (int i = 0; i < a.count; ++i)
            if (!(a.values[i] == b.values[i]))
                return false;
        return true;
    }
};

} // namespace tegula
