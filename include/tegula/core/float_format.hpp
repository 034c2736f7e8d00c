#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/config.hpp>

namespace tegula {

/// How a conversion treats a value that rounds past the largest finite one of its result type.
enum class overflow {
    special, ///< infinity; NaN in a format that has no infinity
    saturate ///< the largest finite value with the sign kept; infinities too (OCP OFP8 1.0, PTX .satfinite)
};

/// Which bit patterns of a format are not finite numbers.
enum class float_specials {
    ieee,     ///< the largest exponent: infinities and NaN
    nan_only, ///< exponent and mantissa all ones: NaN; no infinity
    fnuz,     ///< only the pattern of minus zero: NaN; no infinity, no minus zero
    none      ///< every pattern is a number; NaN and overflow become the largest, NaN without its sign
};

/// A format's numbers: sign, `ExponentBits`, `MantissaBits`, value = 1.m * 2^(e - Bias), subnormal if e is 0.
/// `bits_type` holds exactly one pattern.
template <class Bits, int ExponentBits, int MantissaBits, int Bias, float_specials Specials, overflow DefaultOverflow>
struct float_format
{
    using bits_type = Bits;
    static constexpr int width = 1 + ExponentBits + MantissaBits;
    static constexpr int exponent_bits = ExponentBits;
    static constexpr int mantissa_bits = MantissaBits;
    static constexpr int bias = Bias;
    static constexpr float_specials specials = Specials;
    static constexpr overflow default_overflow = DefaultOverflow;

    static constexpr std::uint32_t sign_bit = 1u << (width - 1);
    static constexpr std::uint32_t max_bits = Specials == float_specials::ieee
                                                  ? (((1u << ExponentBits) - 1) << MantissaBits) - 1
                                                  : sign_bit - (Specials == float_specials::nan_only ? 2 : 1);
    static constexpr std::uint32_t nan_bits = Specials == float_specials::ieee
                                                  ? max_bits + 1 + (1u << (MantissaBits - 1))
                                              : Specials == float_specials::nan_only ? max_bits + 1
                                              : Specials == float_specials::fnuz     ? sign_bit
                                                                                     : max_bits;
    /// The bits of overflow::special: infinity or NaN, or the largest value if the format has neither.
    static constexpr std::uint32_t overflow_bits = Specials == float_specials::ieee ? max_bits + 1 : nan_bits;
};

namespace detail {

/// The native types as source and result of conversions.
template <class T>
struct native_float;
template <>
struct native_float<float>
{
    using bits_type = std::uint32_t;
    static constexpr int exponent_bits = 8, mantissa_bits = 23, bias = 127, width = 32;
};
template <>
struct native_float<double>
{
    using bits_type = std::uint64_t;
    static constexpr int exponent_bits = 11, mantissa_bits = 52, bias = 1023, width = 64;
};

template <class Format, class Native>
inline constexpr bool same_exponents =
    Format::exponent_bits == native_float<Native>::exponent_bits && Format::bias == native_float<Native>::bias;

/// Pattern of the power of two whose last place is the smallest subnormal of Format. Added to a number below the
/// normal range it makes the addition do the rounding, with no subnormal operand or result.
template <class Format, class Native>
inline constexpr auto subnormal_magic =
    static_cast<typename native_float<Native>::bits_type>(
        1 - Format::bias - Format::mantissa_bits + native_float<Native>::mantissa_bits + native_float<Native>::bias)
    << native_float<Native>::mantissa_bits;

/// The pattern of `x` in Format without its sign; round to nearest, ties to even. Overflow gives a pattern past
/// Format::max_bits. The result for NaN is unspecified.
template <class Format, class Native>
constexpr TEGULA_INLINE auto round_magnitude(typename native_float<Native>::bits_type magnitude)
{
    using native = native_float<Native>;
    using word = typename native::bits_type;
    constexpr int dropped = native::mantissa_bits - Format::mantissa_bits;
    constexpr word rebias = static_cast<word>(native::bias - Format::bias) << native::mantissa_bits;
    constexpr word below_half = (word{1} << (dropped - 1)) - 1;
    // A carry out of the mantissa raises the exponent: the number is rounded up to a power of two.
    const word normal = (magnitude - rebias + below_half + ((magnitude >> dropped) & 1)) >> dropped;
    if constexpr (same_exponents<Format, Native>) {
        return normal;
    } else {
        constexpr word magic = subnormal_magic<Format, Native>;
        constexpr word smallest_normal = rebias + (word{1} << native::mantissa_bits);
        // Clamped so that the unused branch stays finite in constant expressions.
        const word small = magnitude < smallest_normal ? magnitude : 0;
        const Native rounded = __builtin_bit_cast(Native, small) + __builtin_bit_cast(Native, magic);
        const word subnormal = __builtin_bit_cast(word, rounded) - magic;
        return magnitude < smallest_normal ? subnormal : normal;
    }
}

/// The pattern of `x`, to nearest even, in a Format that has the exponents of Native and infinities. `x` is not NaN.
/// Rounding up past the largest number carries into infinity's pattern, and never into the sign.
template <class Format, class Native>
    requires(same_exponents<Format, Native> && Format::specials == float_specials::ieee)
constexpr TEGULA_INLINE std::uint32_t encode_number(Native x)
{
    using word = typename native_float<Native>::bits_type;
    constexpr int dropped = native_float<Native>::mantissa_bits - Format::mantissa_bits;
    constexpr word below_half = (word{1} << (dropped - 1)) - 1;
    const word pattern = __builtin_bit_cast(word, x);
    return static_cast<std::uint32_t>((pattern + below_half + ((pattern >> dropped) & 1)) >> dropped);
}

/// The pattern of `x` in Format: one rounding to nearest even. NaN gives the format's quiet NaN with the sign of x.
template <class Format, class Native>
constexpr TEGULA_INLINE std::uint32_t encode_float(Native x, overflow policy)
{
    using native = native_float<Native>;
    using word = typename native::bits_type;
    constexpr word infinity = ((word{1} << native::exponent_bits) - 1) << native::mantissa_bits;
    constexpr std::uint32_t max_bits = Format::max_bits;
    const word pattern = __builtin_bit_cast(word, x);
    const word magnitude = pattern & (~word{0} >> 1);
    if constexpr (same_exponents<Format, Native> && Format::specials == float_specials::ieee) {
        if (policy == overflow::special) {
            const std::uint32_t number = encode_number<Format>(x);
            const auto quiet =
                static_cast<std::uint32_t>(pattern >> (native::width - Format::width)) & Format::sign_bit;
            return x != x ? quiet | Format::nan_bits : number;
        }
    }
    const word rounded = round_magnitude<Format, Native>(magnitude);

    const std::uint32_t too_large = policy == overflow::saturate ? max_bits : Format::overflow_bits;
    std::uint32_t value = rounded > max_bits ? too_large : static_cast<std::uint32_t>(rounded);
    value = magnitude > infinity ? Format::nan_bits : value;

    std::uint32_t sign = static_cast<std::uint32_t>(pattern >> (native::width - 1)) << (Format::width - 1);
    if constexpr (Format::specials == float_specials::fnuz)
        sign = value == 0 ? 0 : sign;
    if constexpr (Format::specials == float_specials::none)
        sign = magnitude > infinity ? 0 : sign;
    return value | sign;
}

/// The value of a pattern of Format; always exact.
template <class Format>
constexpr TEGULA_INLINE float decode_float(std::uint32_t pattern)
{
    constexpr int raised = 23 - Format::mantissa_bits;
    constexpr std::uint32_t infinity = 0x7f800000u, quiet_nan = 0x7fc00000u;
    const std::uint32_t sign = (pattern >> (Format::width - 1)) << 31;
    const std::uint32_t magnitude = pattern & (Format::sign_bit - 1);
    std::uint32_t value = magnitude << raised;
    if constexpr (!same_exponents<Format, float>) {
        constexpr std::uint32_t magic = subnormal_magic<Format, float>;
        constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - Format::bias) << 23;
        // A named operand: nvcc 13.0 stops with an internal error on a bit_cast of an expression.
        const std::uint32_t raised_magic = magic | (magnitude & ((1u << Format::mantissa_bits) - 1));
        const float subnormal = __builtin_bit_cast(float, raised_magic) - __builtin_bit_cast(float, magic);
        const std::uint32_t special = Format::specials == float_specials::ieee ? value | infinity : quiet_nan;
        const std::uint32_t normal = magnitude > Format::max_bits ? special : value + rebias;
        value = magnitude < (1u << Format::mantissa_bits) ? __builtin_bit_cast(std::uint32_t, subnormal) : normal;
    }
    if constexpr (Format::specials == float_specials::fnuz)
        value = pattern == Format::nan_bits ? quiet_nan : value;
    value |= sign;
    return __builtin_bit_cast(float, value);
}

/// Whether the GPU has instructions between four floats and a word of four 8-bit numbers of Format, one way or back.
template <class Format>
concept encodes_words = requires { Format::template encode_word_on_device<true>(0.0f, 0.0f, 0.0f, 0.0f); };
template <class Format>
concept decodes_words = requires { Format::decode_word_on_device(0u); };

template <class T>
concept small_integer = std::is_integral_v<T> && sizeof(T) <= 4;

} // namespace detail

/// A floating-point number of at most 16 bits: storage and conversion, no arithmetic. Trivial, and as large as its
/// bits.
///
/// From float, double or an integer of up to 32 bits: one rounding to nearest even. Overflow follows `policy`, by
/// default the format's own: infinity for half and bfloat16, saturation for the 8-bit formats.
/// To float and double: exact. Comparison is that of the values: NaN differs from itself, the two zeros are equal.
template <class Format>
struct small_float
{
    using format = Format;
    using bits_type = typename Format::bits_type;

    bits_type bits;

    small_float() = default;
    constexpr TEGULA_HOST_DEVICE explicit small_float(float x, overflow policy = Format::default_overflow)
        : bits(encode(x, policy))
    {}
    constexpr TEGULA_HOST_DEVICE explicit small_float(double x, overflow policy = Format::default_overflow)
        : bits(encode(x, policy))
    {}
    template <detail::small_integer T>
    constexpr TEGULA_HOST_DEVICE explicit small_float(T x, overflow policy = Format::default_overflow)
        : small_float(static_cast<double>(x), policy)
    {}
    template <class Other>
        requires(!std::is_same_v<Other, Format>)
    constexpr TEGULA_HOST_DEVICE explicit small_float(small_float<Other> x, overflow policy = Format::default_overflow)
        : small_float(static_cast<float>(x), policy)
    {}

    static constexpr TEGULA_HOST_DEVICE small_float from_bits(std::uint32_t pattern)
    {
        small_float x{};
        x.bits = static_cast<bits_type>(pattern);
        return x;
    }

    template <class T>
        requires std::is_arithmetic_v<T>
    constexpr TEGULA_HOST_DEVICE explicit operator T() const
    {
        return static_cast<T>(decode(bits));
    }

    friend constexpr TEGULA_HOST_DEVICE bool operator==(small_float a, small_float b)
    {
        return static_cast<float>(a) == static_cast<float>(b);
    }

private:
    // A format whose conversion is an instruction of the GPU names it encode_on_device or decode_on_device, for the
    // format's own overflow policy.
    template <class Native>
    static constexpr TEGULA_INLINE bits_type encode(Native x, overflow policy)
    {
#if TEGULA_DEVICE_PASS
        if constexpr (std::is_same_v<Native, float> && requires { Format::encode_on_device(x); })
            if (!__builtin_is_constant_evaluated() && policy == Format::default_overflow)
                return static_cast<bits_type>(Format::encode_on_device(x));
#endif
        return static_cast<bits_type>(detail::encode_float<Format>(x, policy));
    }
    static constexpr TEGULA_INLINE float decode(bits_type pattern)
    {
#if TEGULA_DEVICE_PASS
        if constexpr (requires { Format::decode_on_device(pattern); })
            if (!__builtin_is_constant_evaluated())
                return Format::decode_on_device(pattern);
#endif
        return detail::decode_float<Format>(pattern);
    }
};

/// Four floats as T, an 8-bit format, the first in the lowest byte. The result is that of four single conversions, but
/// it uses a GPU's instructions for pairs, which compilers do not find.
///
///   Bounded  the caller promises that each number lies in T's range or is NaN: none is clamped
template <class T, bool Bounded = false>
TEGULA_INLINE std::uint32_t encode_word(float x0, float x1, float x2, float x3)
{
    static_assert(sizeof(T) == 1);
#if TEGULA_DEVICE_PASS
    if constexpr (detail::encodes_words<typename T::format>)
        return T::format::template encode_word_on_device<Bounded>(x0, x1, x2, x3);
#endif
    return T(x0).bits | static_cast<std::uint32_t>(T(x1).bits) << 8 | static_cast<std::uint32_t>(T(x2).bits) << 16 |
           static_cast<std::uint32_t>(T(x3).bits) << 24;
}

/// The four numbers of T in a word, the first from the lowest byte.
template <class T>
TEGULA_INLINE array<float, 4> decode_word(std::uint32_t word)
{
    static_assert(sizeof(T) == 1);
#if TEGULA_DEVICE_PASS
    if constexpr (detail::decodes_words<typename T::format>)
        return T::format::decode_word_on_device(word);
#endif
    return {static_cast<float>(T::from_bits(word & 0xff)), static_cast<float>(T::from_bits(word >> 8 & 0xff)),
            static_cast<float>(T::from_bits(word >> 16 & 0xff)), static_cast<float>(T::from_bits(word >> 24))};
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::encode_number;
} // namespace tegula::internal
