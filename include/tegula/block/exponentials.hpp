#pragma once

#include <tegula/core/config.hpp>

#include <cstdint>

/// How a kernel computes powers of two if they are many, as in a softmax: choices of an online_softmax, and so of an
/// attention_tile.

namespace tegula {

/// 2^x by multiply-adds: x is split into the nearest integer and the rest f, whose power is a polynomial 1 + f (...).
///
///   Degree  of the polynomial. Largest relative error: 2^-13 for 3, 2^-18 for 4, 2^-22 for 5, and the rounding of x
///
/// x  at most 126. Below -127 the result is 0, between -127 and -126 it may be; a NaN gives NaN. Integers are exact.
///
/// The coefficients make the largest relative error on [-1/2, 1/2] least, found by Lawson's iteration. The splitting
/// adds 1.5 * 2^23, whose sum with x has the integer in its lowest bits.
template <int Degree>
TEGULA_INLINE float polynomial_exp2(float x)
{
    static_assert(Degree >= 3 && Degree <= 5, "tegula: polynomials for 2^x are of degree 3, 4 or 5");
    constexpr float coefficients[3][5] = {{0.6932829f, 0.24221095f, 0.055008933f},
                                          {0.6931242f, 0.24024099f, 0.055906426f, 0.009582853f},
                                          {0.693147f, 0.24022242f, 0.055507336f, 0.009671513f, 0.0013264727f}};
    constexpr float to_integer = 12582912.0f;
    const float inside = x < -127.0f ? -127.0f : x; // a NaN stays
    const float sum = inside + to_integer;
    const float f = inside - (sum - to_integer);
    float power = coefficients[Degree - 3][Degree - 1];
    for (int i = Degree - 2; i >= 0; --i)
        power = __builtin_fmaf(power, f, coefficients[Degree - 3][i]);
    power = __builtin_fmaf(power, f, 1.0f);
    const std::uint32_t exponent = (__builtin_bit_cast(std::uint32_t, sum) << 23) + 0x3f800000u;
    return power * __builtin_bit_cast(float, exponent);
}

/// All by the chip's instruction.
struct hardware_exponentials
{
    template <int N, class Target>
    static TEGULA_INLINE float exp2(float x)
    {
        return Target::exp2(x);
    }
};

/// `Share` of every `Of` exponentials of a lane by polynomial_exp2, evenly among them, the others by the chip's
/// instruction: for chips whose transcendental unit is slower than matrix products leave time for, while multiply-adds
/// have some. FlashAttention-4 (Dao-AILab) shares them so on Blackwell.
template <int Share, int Of, int Degree = 4>
struct mixed_exponentials
{
    static_assert(0 <= Share && Share <= Of && Of > 0,
                  "tegula: polynomials take Share of every Of elements, from 0 to all of them");

    /// Element N of a lane.
    template <int N, class Target>
    static TEGULA_INLINE float exp2(float x)
    {
        if constexpr ((N + 1) * Share / Of > N * Share / Of)
            return polynomial_exp2<Degree>(x);
        else
            return Target::exp2(x);
    }
};

} // namespace tegula
