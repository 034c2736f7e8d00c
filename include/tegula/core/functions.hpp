#pragma once

#include <tegula/core/activation.hpp>
#include <tegula/core/constants.hpp>
#include <tegula/core/rounding.hpp>

#include <utility>

/// Mathematical functions of float for kernels, by the target's fast exponential and polynomials; gelu and silu are in
/// core/activation.hpp.
///
/// Errors are in units of the last place of the exact result, for all arguments and with an exact exponential; a chip's
/// own adds up to 2 (exp, sigmoid, tanh, erf). Subnormal results and arguments may count as 0. NaN gives NaN.
/// The polynomials are minimax fits of the functions in the comments above them, by repeated weighted least squares.

namespace tegula {

namespace detail {

/// c[0] + c[1] x + ... by Horner's rule.
template <int N, int... Is>
TEGULA_INLINE float polynomial(float x, const float (&c)[N], std::integer_sequence<int, Is...>)
{
    float sum = c[N - 1];
    ((sum = __builtin_fmaf(sum, x, c[N - 2 - Is])), ...);
    return sum;
}
template <int N>
TEGULA_INLINE float polynomial(float x, const float (&c)[N])
{
    return polynomial(x, c, std::make_integer_sequence<int, N - 1>{});
}

TEGULA_INLINE float float_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
TEGULA_INLINE std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }

/// x minus the nearest multiple of pi / 2, and the number of that multiple, whose last two bits count.
struct reduced_angle
{
    float rest;
    std::uint32_t quadrant;
};

/// For x >= 2^17: x times the bits of 2 / pi that matter, in integers (Payne and Hanek). Bits whose product with x is
/// a multiple of 4 are left out. The next 96 leave a fraction of more than 30 bits after its leading zeros.
TEGULA_INLINE reduced_angle reduce_large_angle(float x)
{
    // Zeros, then 2 / pi.
    constexpr std::uint32_t words[] = {0u,          0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u,
                                       0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};
    const std::uint32_t bits = bits_of(x);
    const auto exponent = static_cast<int>(bits >> 23 & 0xff) - 150; // x = mantissa * 2^exponent
    const std::uint64_t mantissa = (bits & 0x7fffffu) | 0x800000u;
    const int first = exponent + 30; // bit in use, counted from the start of the zeros
    std::uint32_t w[4] = {0, 0, 0, 0};
    for (int i = 0; i < 9; ++i) // comparisons: an index would put the table into memory
        for (int j = 0; j < 4; ++j)
            w[j] = i == first / 32 + j ? words[i] : w[j];
    const int shift = first % 32;
    std::uint32_t window[3];
    for (int j = 0; j < 3; ++j)
        window[j] = static_cast<std::uint32_t>(((static_cast<std::uint64_t>(w[j]) << 32 | w[j + 1]) << shift) >> 32);
    std::uint64_t sum = mantissa * window[2];
    sum = mantissa * window[1] + (sum >> 32);
    const std::uint64_t product =
        (static_cast<std::uint64_t>(static_cast<std::uint32_t>(mantissa * window[0] + (sum >> 32))) << 32) |
        static_cast<std::uint32_t>(sum);
    const auto quadrant = static_cast<std::uint32_t>((product >> 62) + (product >> 61 & 1)); // to the nearest
    // The fraction and pi / 2 in two floats each, so that the product is rounded once.
    const std::int64_t fraction = static_cast<std::int64_t>(product << 2) >> 8;
    const auto high = static_cast<float>(fraction);
    const auto low = static_cast<float>(fraction - static_cast<std::int64_t>(high));
    const float rest = rounded_product(high, 0x1.921fb6p-56f); // `error` is that of this rounding
    const float error = __builtin_fmaf(high, 0x1.921fb6p-56f, -rest);
    return {rest + __builtin_fmaf(low, 0x1.921fb6p-56f, __builtin_fmaf(high, -0x1.777a5cp-81f, error)), quadrant};
}

/// For x >= 0.
TEGULA_INLINE reduced_angle reduce_angle(float x)
{
    if (x >= 131072.0f)
        return reduce_large_angle(x);
    // pi / 2 in three parts (Cody and Waite): the multiple has at most 17 bits.
    const float n = __builtin_rintf(x * 0.636619772f);
    float rest = __builtin_fmaf(-n, 0x1.921fb6p+0f, x);
    rest = __builtin_fmaf(-n, -0x1.777a5cp-25f, rest);
    rest = __builtin_fmaf(-n, -0x1.ee59dap-50f, rest);
    return {rest, static_cast<std::uint32_t>(static_cast<std::int32_t>(n))};
}

/// Sine of a reduced angle plus `quarters` right angles.
TEGULA_INLINE float sine(const reduced_angle& a, std::uint32_t quarters)
{
    const float r = a.rest, s = r * r;
    // (sin r - r) / r^3 and (cos r - 1 + s / 2) / s^2 as polynomials in s = r^2, |r| <= pi / 4.
    constexpr float of_sine[] = {-1.6666666642e-01f, 8.3333293740e-03f, -1.9839330972e-04f, 2.7182742732e-06f};
    constexpr float of_cosine[] = {4.1666666623e-02f, -1.3888883738e-03f, 2.4799515846e-05f, -2.7209889687e-07f};
    const float sine_of_rest = __builtin_fmaf(polynomial(s, of_sine) * s, r, r);
    const float cosine_of_rest = __builtin_fmaf(polynomial(s, of_cosine) * s, s, __builtin_fmaf(s, -0.5f, 1.0f));
    const std::uint32_t q = a.quadrant + quarters;
    const float value = (q & 1) != 0 ? cosine_of_rest : sine_of_rest;
    return (q & 2) != 0 ? -value : value;
}
/// sine for x >= 0.
TEGULA_INLINE float sine(float x, std::uint32_t quarters)
{
    if (!(x < __builtin_huge_valf()))
        return x - x; // NaN
    return sine(reduce_angle(x), quarters);
}

/// |x|, and `value`, negated if x has its sign bit set.
TEGULA_INLINE float magnitude(float x) { return float_of(bits_of(x) & 0x7fffffffu); }
TEGULA_INLINE float with_sign(float value, float x) { return float_of(bits_of(value) ^ (bits_of(x) & 0x80000000u)); }

} // namespace detail

/// e to the power x. Error below 1.5.
template <class Target>
TEGULA_INLINE float exp(float x)
{
    // The largest x with a finite exponential; that of -105 is 0. So no infinity is subtracted from another below.
    constexpr float most = 88.7228317f;
    const float t = x > most ? most : x < -105.0f ? -105.0f : x;
    const float high = t * 0x1.715476p+0f; // log2(e) in two parts
    const float low = __builtin_fmaf(t, 0x1.4ae0cp-26f, __builtin_fmaf(t, 0x1.715476p+0f, -high));
    const float power = Target::exp2(high);
    const float value = __builtin_fmaf(power, low * log_of_2, power);
    return x > most ? __builtin_huge_valf() : value;
}

/// The natural logarithm: -infinity at 0, NaN below. Error below 1.
template <class Target>
TEGULA_INLINE float log(float x)
{
    const bool small = x < 0x1p-126f;
    const std::uint32_t bits = detail::bits_of(small ? x * 0x1p24f : x);
    // x = 2^e m, m in [sqrt(1/2), sqrt(2)).
    const auto e = static_cast<std::int32_t>(bits - 0x3f3504f3u) >> 23;
    const float f = detail::float_of(bits - (static_cast<std::uint32_t>(e) << 23)) - 1.0f;
    // (log(1 + f) - f + f^2 / 2) / f^3.
    constexpr float of_log[] = {3.3333312601e-01f,  -2.5000009609e-01f, 2.0002118827e-01f,
                                -1.6667995433e-01f, 1.4219549047e-01f,  -1.2405594533e-01f,
                                1.1888190306e-01f,  -1.1675628258e-01f, 6.7465518373e-02f};
    const float s = f * f;
    const float scale = static_cast<float>(small ? e - 24 : e);
    // ln 2 in two parts; the first has 12 bits.
    const float tail = __builtin_fmaf(scale, -2.12194440e-4f, detail::polynomial(f, of_log) * s * f);
    const float value = __builtin_fmaf(scale, 0.693359375f, f + __builtin_fmaf(s, -0.5f, tail));
    const float special = x == 0.0f ? -__builtin_huge_valf() : x < 0.0f ? __builtin_nanf("") : x;
    return x > 0.0f && x < __builtin_huge_valf() ? value : special;
}

/// 1 / sqrt(x). Error below 1.5 with the host's square root, 2 with a chip's instruction.
template <class Target>
TEGULA_INLINE float rsqrt(float x)
{
    return Target::rsqrt(x);
}

/// 1 / (1 + exp(-x)). Error below 2.5.
template <class Target>
TEGULA_INLINE float sigmoid(float x)
{
    return 1.0f / (1.0f + exp<Target>(-x));
}

/// The hyperbolic tangent. Error below 2.
template <class Target>
TEGULA_INLINE float tanh(float x)
{
    const float t = detail::magnitude(x);
    // (tanh x - x) / x^3 as a polynomial in x^2.
    constexpr float of_tanh[] = {-3.3333262877e-01f, 1.3330899643e-01f, -5.3692960018e-02f, 2.0483294307e-02f,
                                 -5.5286130389e-03f};
    const float s = t * t;
    const float near = __builtin_fmaf(detail::polynomial(s, of_tanh) * s, t, t);
    const float far = 1.0f - 2.0f / (exp<Target>(2.0f * t) + 1.0f);
    return detail::with_sign(t < 0.625f ? near : far, x);
}

/// The error function. Error below 1.5.
template <class Target>
TEGULA_INLINE float erf(float x)
{
    const float t = detail::magnitude(x);
    // Up to 1: erf x / x as a polynomial in x^2. Past 1: erf x = 1 - exp2(-q(x)), and 1 from 4 on.
    constexpr float of_erf[] = {1.2837916570e-01f, -3.7612625824e-01f, 1.1283585145e-01f, -2.6853811788e-02f,
                                5.1883274063e-03f, -8.0101911697e-04f, 7.8538532432e-05f};
    constexpr float of_tail[] = {4.9267966123e-04f,  1.6260461270e+00f, 9.2064814333e-01f, 1.4875182034e-01f,
                                 -3.1505773630e-02f, 4.2525995866e-03f, -2.6889123323e-04f};
    const float near = __builtin_fmaf(detail::polynomial(t * t, of_erf), t, t);
    const float far = 1.0f - Target::exp2(-detail::polynomial(t < 4.0f ? t : 4.0f, of_tail));
    return t < 1.0f ? detail::with_sign(near, x) : t >= 1.0f ? detail::with_sign(far, x) : x;
}

/// The sine of an angle in radians, of any size; NaN for infinities. Error below 2.
template <class Target>
TEGULA_INLINE float sin(float x)
{
    return detail::with_sign(detail::sine(detail::magnitude(x), 0), x);
}

/// The cosine of an angle in radians, of any size; NaN for infinities. Error below 2.
template <class Target>
TEGULA_INLINE float cos(float x)
{
    return detail::sine(detail::magnitude(x), 1);
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::reduced_angle;
using tegula::detail::sine;
} // namespace tegula::internal
