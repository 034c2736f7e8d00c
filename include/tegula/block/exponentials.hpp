#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/config.hpp>

#include <cstdint>

/// How a kernel computes powers of two if they are many, as in a softmax: choices of an online_softmax, and so of an
/// attention_tile.

namespace tegula {

namespace detail {

/// Arithmetic of polynomial_exp2 for one number.
struct one_float
{
    using numbers = float;
    static TEGULA_INLINE float all(float x) { return x; }
    static TEGULA_INLINE float multiply_add(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
    static TEGULA_INLINE float add(float x, float y) { return x + y; }
    static TEGULA_INLINE float multiply(float x, float y) { return x * y; }
    template <class F>
    static TEGULA_INLINE float each(float x, const F& f)
    {
        return f(x);
    }
};

/// Arithmetic of polynomial_exp2 for two numbers, by a target's packed instructions.
template <class Target>
struct two_floats
{
    using numbers = array<float, 2>;
    static TEGULA_INLINE numbers all(float x) { return {x, x}; }
    static TEGULA_INLINE numbers multiply_add(const numbers& x, const numbers& y, const numbers& z)
    {
        return Target::packed_multiply_add(x, y, z);
    }
    static TEGULA_INLINE numbers add(const numbers& x, const numbers& y) { return Target::packed_add(x, y); }
    static TEGULA_INLINE numbers multiply(const numbers& x, const numbers& y) { return Target::packed_multiply(x, y); }
    template <class F>
    static TEGULA_INLINE numbers each(const numbers& x, const F& f)
    {
        return {f(x[0]), f(x[1])};
    }
};

} // namespace detail

/// 2^x by multiply-adds: x is split into the nearest integer and the rest f, whose power is a polynomial 1 + f (...).
///
///   Degree      of the polynomial. Largest relative error: 2^-13 for 3, 2^-18 for 4, 2^-22 for 5, and the rounding of x
///   Arithmetic  one_float or two_floats
///
/// x  at most 126. Below -127 the result is 0, between -127 and -126 it may be; a NaN gives NaN. Integers are exact.
///
/// The coefficients make the largest relative error on [-1/2, 1/2] least, found by Lawson's iteration. The splitting
/// adds 1.5 * 2^23, whose sum with x has the integer in its lowest bits.
template <int Degree, class Arithmetic = detail::one_float>
TEGULA_INLINE typename Arithmetic::numbers polynomial_exp2(typename Arithmetic::numbers x)
{
    static_assert(Degree >= 3 && Degree <= 5, "tegula: polynomials for 2^x are of degree 3, 4 or 5");
    constexpr float coefficients[3][5] = {{0.6932829f, 0.24221095f, 0.055008933f},
                                          {0.6931242f, 0.24024099f, 0.055906426f, 0.009582853f},
                                          {0.693147f, 0.24022242f, 0.055507336f, 0.009671513f, 0.0013264727f}};
    constexpr float to_integer = 12582912.0f;
    const auto inside = Arithmetic::each(x, [](float y) { return y < -127.0f ? -127.0f : y; }); // a NaN stays
    const auto sum = Arithmetic::add(inside, Arithmetic::all(to_integer));
    const auto integer = Arithmetic::add(sum, Arithmetic::all(-to_integer));
    const auto f = Arithmetic::multiply_add(integer, Arithmetic::all(-1.0f), inside);
    auto power = Arithmetic::all(coefficients[Degree - 3][Degree - 1]);
    for (int i = Degree - 2; i >= 0; --i)
        power = Arithmetic::multiply_add(power, f, Arithmetic::all(coefficients[Degree - 3][i]));
    power = Arithmetic::multiply_add(power, f, Arithmetic::all(1.0f));
    return Arithmetic::multiply(power, Arithmetic::each(sum, [](float y) {
                                    return __builtin_bit_cast(float, (__builtin_bit_cast(std::uint32_t, y) << 23) +
                                                                         0x3f800000u);
                                }));
}

/// All by the chip's instruction.
struct hardware_exponentials
{
    template <int N, class Target>
    static TEGULA_INLINE float exp2(float x)
    {
        return Target::exp2(x);
    }
    /// Elements 2 N and 2 N + 1 of a lane, on a target with packed floats.
    template <int N, class Target>
    static TEGULA_INLINE array<float, 2> exp2_pair(const array<float, 2>& x)
    {
        return {Target::exp2(x[0]), Target::exp2(x[1])};
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
        if constexpr (is_polynomial(N))
            return polynomial_exp2<Degree>(x);
        else
            return Target::exp2(x);
    }
    /// Elements 2 N and 2 N + 1 of a lane, on a target with packed floats: `Share` of every `Of` pairs.
    template <int N, class Target>
    static TEGULA_INLINE array<float, 2> exp2_pair(const array<float, 2>& x)
    {
        if constexpr (is_polynomial(N))
            return polynomial_exp2<Degree, detail::two_floats<Target>>(x);
        else
            return hardware_exponentials::exp2_pair<N, Target>(x);
    }

private:
    static consteval bool is_polynomial(int n) { return (n + 1) * Share / Of > n * Share / Of; }
};

} // namespace tegula
