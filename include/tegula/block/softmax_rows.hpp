#pragma once

#include <tegula/core/constants.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/tensor/elementwise.hpp>

/// Shared by all softmaxes: how far from 0 the scores of a row may lie for one multiply-add to turn them into
/// exponents, and how a row ends.

namespace tegula {

inline constexpr float greatest_float = 0x1.fffffep127f; ///< the greatest finite float

/// Exponents to base 2 are `score * scale - reference` by one multiply-add while the rounded reference is at most this:
/// its rounding is then below 2^-14, less than that of 16-bit probabilities. Beyond it the reference is subtracted from
/// the score first, which is exact near the greatest score.
inline constexpr float greatest_rounded_exponent = 1024;

/// Whether this reference to base 2 is beyond that. An infinite one, which hides its row, is not.
TEGULA_INLINE bool is_far_exponent(float reference)
{
    const float magnitude = __builtin_fabsf(reference);
    return (magnitude > greatest_rounded_exponent) & (magnitude <= greatest_float);
}

/// lse to base 2, finite if lse is, rounded up: by more than lse, this product and the scale of a score's multiply-add
/// are rounded. No probability from it is then above 1.
///
///   error  what the exponentials whose sum lse is of may lack, relative to them
TEGULA_INLINE float exponent_of_lse(float lse, float error = 0x1p-23f)
{
    const float nearest = rounded_product(lse, log2_of_e);
    const float exponent = multiply_add(__builtin_fabsf(nearest) + 0x1p23f * error, 0x1p-22f, nearest);
    if (exponent > greatest_float && lse <= greatest_float)
        return greatest_float;
    return exponent < -greatest_float && lse >= -greatest_float ? -greatest_float : exponent;
}

/// exp(x) by the target's power of two.
template <class Target>
TEGULA_INLINE float exp_by_exp2(float x)
{
    return Target::exp2(x * log2_of_e);
}

/// The exponent to base 2 of exp(score - lse) of a row, however far from 0. It is at most 0, even if rounding has left lse
/// below the score.
TEGULA_INLINE float far_exponent(float score, float lse)
{
    const float exponent = score - lse;
    return (exponent > 0 ? 0.0f : exponent) * log2_of_e;
}
/// exp(score - lse) of a row, however far from 0.
template <class Target>
TEGULA_INLINE float far_probability(float score, float lse)
{
    return Target::exp2(far_exponent(score, lse));
}

/// The end of a row. Its lse is shift + logarithm: in a row of scores about 1e9 a float of the sum holds nothing of the
/// logarithm.
struct softmax_row_end
{
    float factor;    ///< factor for the output; 0 if no score is above -inf
    float shift;     ///< a score near the greatest
    float logarithm; ///< to base e, of the sum of exp(score - shift); -inf if no score is above -inf

    TEGULA_INLINE float lse() const { return shift + logarithm; }
};

/// The ends of rows, each a distributed tensor of floats.
template <class Rows>
struct softmax_row_ends
{
    Rows factor, shift, logarithm;

    TEGULA_INLINE void set(int r, const softmax_row_end& end)
    {
        factor[r] = end.factor;
        shift[r] = end.shift;
        logarithm[r] = end.logarithm;
    }
    TEGULA_INLINE Rows lse() const
    {
        return elementwise([](float x, float y) { return x + y; }, shift, logarithm);
    }
};

/// Ends a row of which `sum` is the sum of 2^(log2(e) * (score - shift) - rest).
///
///   shift  finite
///   extra  one more score of the row; -inf for none
template <class Target>
TEGULA_INLINE softmax_row_end end_softmax_row(float shift, float rest, float sum, float extra)
{
    const float against = Target::max_number(shift, extra);
    const float own = Target::exp2(multiply_add(shift - against, log2_of_e, rest));
    const float all = multiply_add(sum, own, Target::exp2((extra - against) * log2_of_e));
    if (all == 0)
        return {0, against, -__builtin_inff()};
    return {own / all, against, Target::log2(all) / log2_of_e};
}

} // namespace tegula
