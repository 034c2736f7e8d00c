#pragma once

#include <tegula/core/float_format.hpp>

/// The 8-bit floating-point formats. E4M3 and E5M2 are the Open Compute Project's (OFP8 1.0), used by NVIDIA, gfx950
/// and gfx12; the FNUZ forms (finite, no minus zero, bias one larger) are gfx942's.
///
/// A plain conversion saturates: static_cast<float8_e4m3>(1000.f) is 448, and so is an infinity. To get infinity or NaN
/// instead say float8_e4m3(x, overflow::special).

namespace tegula {

namespace detail {
template <int ExponentBits, int MantissaBits, int Bias, float_specials Specials>
using float8_format = float_format<std::uint8_t, ExponentBits, MantissaBits, Bias, Specials, overflow::saturate>;
}

struct float8_e4m3_format : detail::float8_format<4, 3, 7, float_specials::nan_only>
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    static TEGULA_INLINE std::uint8_t encode_on_device(float x)
    {
        std::uint16_t pair;
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.f), "f"(x));
        return static_cast<std::uint8_t>(pair);
    }
#endif
};

struct float8_e5m2_format : detail::float8_format<5, 2, 15, float_specials::ieee>
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    static TEGULA_INLINE std::uint8_t encode_on_device(float x)
    {
        std::uint16_t pair;
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.f), "f"(x));
        return static_cast<std::uint8_t>(pair);
    }
#endif
};

struct float8_e4m3_fnuz_format : detail::float8_format<4, 3, 8, float_specials::fnuz>
{};

struct float8_e5m2_fnuz_format : detail::float8_format<5, 2, 16, float_specials::fnuz>
{};

/// OCP: largest value 448, NaN, no infinity.
using float8_e4m3 = small_float<float8_e4m3_format>;
/// OCP: largest value 57344, infinities and NaN.
using float8_e5m2 = small_float<float8_e5m2_format>;
/// Largest value 240; one NaN (0x80), no infinity, no minus zero.
using float8_e4m3_fnuz = small_float<float8_e4m3_fnuz_format>;
/// Largest value 57344; one NaN (0x80), no infinity, no minus zero.
using float8_e5m2_fnuz = small_float<float8_e5m2_fnuz_format>;

} // namespace tegula
