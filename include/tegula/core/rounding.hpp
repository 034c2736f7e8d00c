#pragma once

#include <tegula/core/config.hpp>

#include <cstdint>

/// Sums of products with explicit rounding. A compiler may round a * b + c once or twice. Use these if the difference
/// matters, or if a device and its emulator must agree.

namespace tegula {

/// a * b + c, rounded once.
TEGULA_INLINE float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
TEGULA_INLINE double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
TEGULA_INLINE std::int32_t multiply_add(std::int32_t a, std::int32_t b, std::int32_t c) { return a * b + c; }

/// a * b, rounded before anything is added to it.
TEGULA_INLINE float rounded_product(float a, float b)
{
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b);
#elif defined(__clang__)
#pragma clang fp contract(off)
    return a * b;
#else // GCC's choice is a flag of the whole file.
    return __builtin_fmaf(a, b, -0.0f);
#endif
}

} // namespace tegula
