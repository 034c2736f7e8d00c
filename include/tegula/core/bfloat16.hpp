#pragma once

#include <tegula/core/float_format.hpp>

namespace tegula {

/// The upper half of a float: 8 exponent and 7 mantissa bits.
struct bfloat16_format : float_format<std::uint16_t, 8, 7, 127, float_specials::ieee, overflow::special>
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    static TEGULA_INLINE std::uint16_t encode_on_device(float x)
    {
        std::uint16_t pattern;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(pattern) : "f"(x));
        return pattern;
    }
    /// One byte permutation for either half of a register. ptxas makes two of a shift for the upper half.
    static TEGULA_INLINE float decode_on_device(std::uint16_t pattern)
    {
        float x;
        asm("mov.b32 %0, {%1, %2};" : "=f"(x) : "h"(std::uint16_t{0}), "h"(pattern));
        return x;
    }
#elif defined(__gfx950__) || defined(__gfx1250__)
    // v_cvt_pk_bf16_f32, which has no builtin.
    static TEGULA_INLINE std::uint16_t encode_on_device(float x)
    {
        return __builtin_bit_cast(std::uint16_t, static_cast<__bf16>(x));
    }
#endif
};

/// The range of float with 8 significant bits; larger values become infinity.
using bfloat16 = small_float<bfloat16_format>;

namespace detail {

/// A number whose upper half is x as bfloat16. Precondition: the lower half of a NaN is 0.
TEGULA_INLINE std::uint32_t rounded_above(float x)
{
    const auto pattern = __builtin_bit_cast(std::uint32_t, x);
    return pattern + 0x7fffu + (pattern >> 16 & 1);
}

} // namespace detail

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::rounded_above;
} // namespace tegula::internal
