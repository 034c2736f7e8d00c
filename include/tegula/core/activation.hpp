#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// relu max(0, x), NaN for NaN; gelu x Phi(x) with the normal distribution Phi; silu x / (1 + exp(-x)).
enum class activation { none, relu, gelu, silu };

namespace detail {

/// condition ? a : b; by bits where the target's compilers make no vectors of a branch.
template <class Target>
TEGULA_INLINE float select_float(bool condition, float a, float b)
{
    if constexpr (requires { Target::choose(condition, a, b); })
        return Target::choose(condition, a, b);
    else
        return condition ? a : b;
}

} // namespace detail

/// x Phi(x), error below 1e-7 |x| in exact arithmetic.
///
/// 1 - Phi(x) = exp2(-q(x)) / 2 for x >= 0 with a polynomial q of degree 8, fitted by least squares to
/// -log2(erfc(x / sqrt 2)) on [0, 5.75] with the error of the exponential as weight; past it 1 - Phi is below 1e-8.
template <class Target>
TEGULA_INLINE float gelu(float x)
{
    const float t = __builtin_fabsf(x);
    const float s = detail::select_float<Target>(t < 5.75f, t, 5.75f);
    float q = 2.8337551612e-06f;
    q = q * s + -3.9364207623e-05f;
    q = q * s + 1.8611869018e-04f;
    q = q * s + 1.3707716425e-04f;
    q = q * s + -7.0635909215e-03f;
    q = q * s + 5.2496284246e-02f;
    q = q * s + 4.5920816064e-01f;
    q = q * s + 1.1511051655e+00f;
    const float tail = 0.5f * Target::exp2(-q * s);
    // x - x tail above 0, x tail below; below -5.75, -infinity included, what -5.75 gives.
    if constexpr (Target::vendor == decltype(Target::vendor)::x86)
        return detail::select_float<Target>(x < 0, 0.0f, x) -
               s * tail; // one test of the sign, which compilers do in vectors
    else
        return x < 0 ? (x < -5.75f ? -5.75f : x) * tail : x * (1.0f - tail);
}

/// x / (1 + exp(-x)).
template <class Target>
TEGULA_INLINE float silu(float x)
{
    const float divisor = 1.0f + Target::exp2(-1.4426950408889634f * x);
    return detail::select_float<Target>(x < -150.0f, -150.0f, x) / divisor; // past it 0, and no quotient of infinities
}

} // namespace tegula
