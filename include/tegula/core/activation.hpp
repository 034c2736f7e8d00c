#pragma once

#include <tegula/core/config.hpp>
#include <tegula/core/constants.hpp>
#include <tegula/core/rounding.hpp>

#include <cstdint>

namespace tegula {

/// relu max(0, x), NaN for NaN; gelu x Phi(x) with the normal distribution Phi; silu x / (1 + exp(-x)).
enum class activation { none, relu, gelu, silu };

namespace detail {

/// condition ? a : b; selected by bits if the target's compilers do not vectorize a branch.
template <class Target>
TEGULA_INLINE float select_float(bool condition, float a, float b)
{
    if constexpr (requires { Target::choose(condition, a, b); })
        return Target::choose(condition, a, b);
    else
        return condition ? a : b;
}

} // namespace detail

/// x Phi(x). Error below 3e-7 |x|, and for negative x below 1e-5 of the result, down to the least normal number.
///
/// 1 - Phi(t) = exp(-t^2 / 2) w P(w) for t >= 0 with w = 1 / (t + 3). P is a polynomial of degree 8 such that w P(w)
/// fits exp(t^2 / 2) erfc(t / sqrt 2) / 2 on [0, 14.6]. The largest relative error, 5.3e-8, is as small as it can be.
/// Past that interval t (1 - Phi(t)) is smaller than every positive float.
template <class Target>
TEGULA_INLINE float gelu(float x)
{
    const float t = __builtin_fabsf(x);
    const float s = detail::select_float<Target>(t < 14.6f, t, 14.6f);
    float w;
    // ptxas interleaves branch-free code of so many elements that it takes 254 registers. A division has a branch, and
    // ptxas moves no code across it.
    if constexpr (Target::vendor == decltype(Target::vendor)::nvidia)
        w = 1.0f / (s + 3.0f);
    else
        w = Target::reciprocal(s + 3.0f);
    float p = -440.47293f;
    p = multiply_add(p, w, 838.31238f);
    p = multiply_add(p, w, -585.31152f);
    p = multiply_add(p, w, 156.68877f);
    p = multiply_add(p, w, -12.323048f);
    p = multiply_add(p, w, 9.6258526f);
    p = multiply_add(p, w, 3.0423272f);
    p = multiply_add(p, w, 1.2018676f);
    p = multiply_add(p, w, 0.39887026f);
    // The root of exp(-t^2 / 2), multiplied twice, so that no power is subnormal: some chips flush those to 0.
    const float root = Target::exp2(-0.36067376f * (s * s));
    const float result = multiply_add(-(s * root), w * p * root, detail::select_float<Target>(x < 0, 0.0f, x));
    // LLVM interleaves elements too. A main loop that uses all 512 registers then moves accumulators.
    if constexpr (Target::vendor == decltype(Target::vendor)::amd) {
        auto bits = __builtin_bit_cast(std::uint32_t, result);
        Target::make_opaque(bits);
        return __builtin_bit_cast(float, bits);
    }
    return result;
}

/// x / (1 + exp(-x)), by the target's reciprocal; 0 on a GPU if exp(-x) exceeds 2^126.
template <class Target>
TEGULA_INLINE float silu(float x)
{
    const float divisor = 1.0f + Target::exp2(-log2_of_e * x);
    // Below -150 the reciprocal is 0, and its product with an infinity would be NaN.
    return detail::select_float<Target>(x < -150.0f, -150.0f, x) * Target::reciprocal(divisor);
}

} // namespace tegula
