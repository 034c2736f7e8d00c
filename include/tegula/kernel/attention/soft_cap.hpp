#pragma once

#include <tegula/core/rounding.hpp>
#include <tegula/kernel/attention/variant.hpp>

#include <cmath>
#include <type_traits>

namespace tegula {

/// A score functor that keeps scores in (-cap, cap): cap * tanh(score / cap). A cap of 0 changes nothing.
///
/// In float the error is below 4e-7 cap: tanh(x) = 1 - 2 / (1 + exp(2 x)).
template <class Target>
struct soft_cap
{
    static constexpr bool reads_memory = false;
    float cap = 0;

    template <class Real>
    TEGULA_INLINE Real operator()(Real score, const attention_place&) const
    {
        // Computed in any case: branches would keep the elements of a tile apart. Without a cap the result is not used.
        const Real capped = static_cast<Real>(cap) * tanh(score * inverse<Real>());
        return cap > 0 ? capped : score;
    }
    template <class Real>
    TEGULA_INLINE Real derivative(Real score, const attention_place&) const
    {
        const Real t = tanh(score * inverse<Real>());
        return cap > 0 ? one_less_square(t) : 1;
    }
    /// The bound for comparisons: the error of a score in float, at most.
    double rounding_error() const { return 4e-7 * static_cast<double>(cap); }

private:
    static TEGULA_INLINE float one_less_square(float t) { return multiply_add(-t, t, 1.0f); }
    static TEGULA_INLINE double one_less_square(double t) { return 1 - t * t; }
    /// By an instruction: on NVIDIA a division would be repeated for each score, with a branch.
    template <class Real>
    TEGULA_INLINE Real inverse() const
    {
        if constexpr (std::is_same_v<Real, float>)
            return Target::reciprocal(cap);
        else
            return 1 / static_cast<Real>(cap);
    }
    template <class Real>
    static TEGULA_INLINE Real tanh(Real x)
    {
        if constexpr (std::is_same_v<Real, float>)
            return multiply_add(-2.0f, Target::reciprocal(1.0f + Target::exp2(2.8853900817779268f * x)), // 2 log2(e)
                                1.0f);
        else
            return std::tanh(x);
    }
};

} // namespace tegula
