#pragma once

#include <tegula/core/config.hpp>

#include <type_traits>

/// The operations that reductions and scans are made with, as function objects.
///
/// T is an arithmetic type; cast tiles of half, bfloat16 and narrower types to float first. Each has `identity<T>()`,
/// with op(identity, x) = x. A user's operation is any function object T op(T, T). Exclusive scans, and the kernels of
/// reductions and scans, also need its identity<T>().

namespace tegula {

namespace detail {

template <class T>
constexpr TEGULA_HOST_DEVICE T infinity_or_most()
{
    if constexpr (std::is_same_v<T, bool>)
        return true;
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(__builtin_huge_val());
    else if constexpr (std::is_signed_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(~std::make_unsigned_t<T>{}) >> 1);
    else
        return static_cast<T>(~T{});
}

template <class T>
constexpr TEGULA_HOST_DEVICE T infinity_or_least()
{
    if constexpr (std::is_floating_point_v<T>)
        return -infinity_or_most<T>();
    else if constexpr (std::is_signed_v<T>)
        return static_cast<T>(-infinity_or_most<T>() - 1);
    else
        return T{};
}

/// Either of two equal numbers; +0 wins over -0 if `positive_wins`, else -0 wins.
template <class T>
constexpr TEGULA_HOST_DEVICE T merge_equal(T a, T b, bool positive_wins)
{
    if constexpr (std::is_floating_point_v<T>) {
        using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        const auto x = __builtin_bit_cast(bits, a);
        const auto y = __builtin_bit_cast(bits, b);
        return __builtin_bit_cast(T, positive_wins ? static_cast<bits>(x & y) : static_cast<bits>(x | y));
    } else {
        return a;
    }
}

/// The type in which integers of type T are added and multiplied: they wrap around, as they do on a GPU.
template <class T>
struct wrapping
{
    using type = T;
};
template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct wrapping<T>
{
    using type = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
};

} // namespace detail

/// a + b; integers wrap around. The identity of floating-point numbers is -0, which leaves -0 as it is.
struct plus
{
    template <class T>
    static constexpr TEGULA_HOST_DEVICE T identity()
    {
        return std::is_floating_point_v<T> ? static_cast<T>(-0.0) : T{};
    }
    template <class T>
    constexpr TEGULA_INLINE T operator()(const T& a, const T& b) const
    {
        using wide = typename detail::wrapping<T>::type;
        return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
    }
};

/// a * b; integers wrap around.
struct multiplies
{
    template <class T>
    static constexpr TEGULA_HOST_DEVICE T identity()
    {
        return static_cast<T>(1);
    }
    template <class T>
    constexpr TEGULA_INLINE T operator()(const T& a, const T& b) const
    {
        using wide = typename detail::wrapping<T>::type;
        return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
    }
};

/// The lesser number; NaN if one is NaN, and -0 is below +0 (`minimum` of IEEE 754-2019).
struct minimum
{
    template <class T>
    static constexpr TEGULA_HOST_DEVICE T identity()
    {
        return detail::infinity_or_most<T>();
    }
    template <class T>
    constexpr TEGULA_INLINE T operator()(const T& a, const T& b) const
    {
        return a < b ? a : b < a ? b : a == b ? detail::merge_equal(a, b, false) : static_cast<T>(a + b);
    }
};

/// The greater number; NaN if one is NaN, and +0 is above -0 (`maximum` of IEEE 754-2019).
struct maximum
{
    template <class T>
    static constexpr TEGULA_HOST_DEVICE T identity()
    {
        return detail::infinity_or_least<T>();
    }
    template <class T>
    constexpr TEGULA_INLINE T operator()(const T& a, const T& b) const
    {
        return a > b ? a : b > a ? b : a == b ? detail::merge_equal(a, b, true) : static_cast<T>(a + b);
    }
};

/// a & b of integers and of bool.
struct bit_and
{
    template <class T>
    static constexpr TEGULA_HOST_DEVICE T identity()
    {
        return std::is_same_v<T, bool> ? static_cast<T>(1) : static_cast<T>(~T{});
    }
    template <class T>
    constexpr TEGULA_INLINE T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a & b);
    }
};

/// a | b of integers and of bool.
struct bit_or
{
    template <class T>
    static constexpr TEGULA_HOST_DEVICE T identity()
    {
        return T{};
    }
    template <class T>
    constexpr TEGULA_INLINE T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a | b);
    }
};

/// Whether op(a, b) and op(b, a) have the same bits, so that two lanes may combine their values in either order. The
/// payload of a NaN does not count. A user's own operation is taken as not commutative; specialise this to say more.
template <class Op>
inline constexpr bool is_commutative = false;
template <>
inline constexpr bool is_commutative<plus> = true;
template <>
inline constexpr bool is_commutative<multiplies> = true;
template <>
inline constexpr bool is_commutative<minimum> = true;
template <>
inline constexpr bool is_commutative<maximum> = true;
template <>
inline constexpr bool is_commutative<bit_and> = true;
template <>
inline constexpr bool is_commutative<bit_or> = true;

} // namespace tegula
