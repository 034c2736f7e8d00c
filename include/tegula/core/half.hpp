#pragma once

#include <tegula/core/float_format.hpp>

namespace tegula {

/// IEEE 754 binary16: 5 exponent and 10 mantissa bits.
struct half_format : float_format<std::uint16_t, 5, 10, 15, float_specials::ieee, overflow::special>
{
#if defined(__CUDA_ARCH__)
    static TEGULA_INLINE std::uint16_t encode_on_device(float x)
    {
        std::uint16_t pattern;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(pattern) : "f"(x));
        return pattern;
    }
    static TEGULA_INLINE float decode_on_device(std::uint16_t pattern)
    {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(pattern));
        return x;
    }
#elif defined(__HIP_DEVICE_COMPILE__)
    static TEGULA_INLINE std::uint16_t encode_on_device(float x)
    {
        return __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(x));
    }
    static TEGULA_INLINE float decode_on_device(std::uint16_t pattern)
    {
        return static_cast<float>(__builtin_bit_cast(_Float16, pattern));
    }
#endif
};

/// Half precision, largest value 65504; larger values become infinity.
using half = small_float<half_format>;

} // namespace tegula
