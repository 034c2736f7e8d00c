#pragma once

#include <tegula/core/number_traits.hpp>

namespace tegula {

namespace detail {

template <class T>
inline constexpr bool is_small_float = false;
template <class Format>
inline constexpr bool is_small_float<small_float<Format>> = true;
template <>
inline constexpr bool is_small_float<tfloat32> = true;

/// x as a native type that holds it exactly.
template <class From>
constexpr TEGULA_INLINE auto widen(From x)
{
    if constexpr (is_small_float<From>)
        return static_cast<float>(x);
    else if constexpr (std::is_integral_v<From>)
        return static_cast<double>(x);
    else
        return x;
}

/// The integer nearest to x, ties to even, saturated; 0 for NaN. Precondition: Native has a bit more than every To.
/// Adding 1.5 * 2^mantissa leaves the sum no room for a fraction; the integer is then in its lower bits.
template <class To, class Native>
constexpr TEGULA_INLINE To to_integer(Native x)
{
    using word = typename native_float<Native>::bits_type;
    constexpr bool is_signed = std::is_signed_v<To>;
    constexpr Native high = static_cast<Native>((1ull << (8 * sizeof(To) - (is_signed ? 1 : 0))) - 1);
    constexpr Native low = is_signed ? -high - 1 : Native{0};
    constexpr Native magic = static_cast<Native>(3ull << (native_float<Native>::mantissa_bits - 1));
    const Native number = x == x ? x : Native{0};
    const Native clamped = number < low ? low : number > high ? high : number;
    const Native shifted = clamped + magic;
    return static_cast<To>(__builtin_bit_cast(word, shifted) - __builtin_bit_cast(word, magic));
}

/// Whether a GPU's instructions convert four numbers of 8 bits at a time: encode_word<To>, decode_word<From>.
template <class To, class From>
concept converts_to_words = std::is_same_v<From, float> && requires { requires encodes_words<typename To::format>; };
template <class To, class From>
concept converts_from_words =
    number_traits<To>::is_float && requires { requires decodes_words<typename From::format>; };

} // namespace detail

/// x as a To, rounded once.
///
/// To a floating-point type: nearest, ties to even; overflow follows `policy` (for float and double:
/// infinity). To an integer of up to 32 bits: nearest, ties to even, then saturated; NaN gives 0. Integers as a source:
/// up to 32 bits.
template <class To, class From>
constexpr TEGULA_INLINE To convert(From x, [[maybe_unused]] overflow policy)
{
    static_assert(!std::is_integral_v<From> || sizeof(From) <= 4, "convert takes integers of up to 32 bits");
    if constexpr (std::is_same_v<To, From>) {
        return x;
    } else if constexpr (std::is_integral_v<To>) {
        static_assert(sizeof(To) <= 4, "convert gives integers of up to 32 bits");
        if constexpr (sizeof(To) > 2)
            return detail::to_integer<To>(static_cast<double>(detail::widen(x)));
        else
            return detail::to_integer<To>(detail::widen(x));
    } else if constexpr (detail::is_small_float<To>) {
        return To(detail::widen(x), policy);
    } else {
        return static_cast<To>(detail::widen(x));
    }
}

/// Converts with To's own overflow policy: saturation for 8-bit formats, infinity for the others.
template <class To, class From>
constexpr TEGULA_INLINE To convert(From x)
{
    if constexpr (detail::is_small_float<To>)
        return convert<To>(x, To::format::default_overflow);
    else
        return convert<To>(x, overflow::special);
}

} // namespace tegula
