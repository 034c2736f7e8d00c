#pragma once

#include <tegula/core/array.hpp>
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

// AMD's targets have instructions for the FNUZ forms or for OCP's formats, not for both.
#if defined(__gfx942__)
#define TEGULA_CONVERTS_FNUZ 1
#elif defined(__gfx950__) || defined(__gfx1200__) || defined(__gfx1201__) || defined(__gfx1250__)
#define TEGULA_CONVERTS_OCP 1
#endif

namespace detail {

#if defined(TEGULA_CONVERTS_FNUZ) || defined(TEGULA_CONVERTS_OCP)
/// Conversions by v_cvt_pk_fp8_f32, v_cvt_pk_bf8_f32 and their inverses. The instructions round to nearest even, to
/// subnormal numbers too. The wave's mode decides whether they saturate, so a number that may be too large is clamped
/// first. NaN remains NaN, in OCP's formats with the chip's sign and payload.
template <bool Long>
struct amd_float8_conversions
{
#if defined(TEGULA_CONVERTS_FNUZ)
    static constexpr float most = Long ? 57344 : 240;
#else
    static constexpr float most = Long ? 57344 : 448;
#endif
    /// The clamp alone would make NaN a number.
    static TEGULA_INLINE float saturated(float x)
    {
        const float clamped = __builtin_amdgcn_fmed3f(x, -most, most);
        return x != x ? x : clamped;
    }
    template <bool Bounded>
    static TEGULA_INLINE std::uint32_t encode_word_on_device(float x0, float x1, float x2, float x3)
    {
        if constexpr (!Bounded)
            x0 = saturated(x0), x1 = saturated(x1), x2 = saturated(x2), x3 = saturated(x3);
        const int half = encode_pair(x0, x1);
        if constexpr (Long)
            return static_cast<std::uint32_t>(__builtin_amdgcn_cvt_pk_bf8_f32(x2, x3, half, true));
        else
            return static_cast<std::uint32_t>(__builtin_amdgcn_cvt_pk_fp8_f32(x2, x3, half, true));
    }
    static TEGULA_INLINE std::uint8_t encode_on_device(float x)
    {
        return static_cast<std::uint8_t>(encode_pair(saturated(x), 0.0f));
    }
    static TEGULA_INLINE float decode_on_device(std::uint8_t pattern)
    {
        if constexpr (Long)
            return __builtin_amdgcn_cvt_f32_bf8(pattern, 0);
        else
            return __builtin_amdgcn_cvt_f32_fp8(pattern, 0);
    }
    static TEGULA_INLINE array<float, 4> decode_word_on_device(std::uint32_t word)
    {
        const int all = static_cast<int>(word);
        if constexpr (Long) {
            const auto low = __builtin_amdgcn_cvt_pk_f32_bf8(all, false),
                       high = __builtin_amdgcn_cvt_pk_f32_bf8(all, true);
            return {low[0], low[1], high[0], high[1]};
        } else {
            const auto low = __builtin_amdgcn_cvt_pk_f32_fp8(all, false),
                       high = __builtin_amdgcn_cvt_pk_f32_fp8(all, true);
            return {low[0], low[1], high[0], high[1]};
        }
    }

private:
    /// Two numbers in the lower half of a register; the upper half is unspecified.
    static TEGULA_INLINE int encode_pair(float low, float high)
    {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wuninitialized"
        int word; // A constant would cost an instruction.
        if constexpr (Long)
            return __builtin_amdgcn_cvt_pk_bf8_f32(low, high, word, false);
        else
            return __builtin_amdgcn_cvt_pk_fp8_f32(low, high, word, false);
#pragma clang diagnostic pop
    }
};
#endif

/// For formats that the target has no conversion instructions for.
struct no_conversions
{};

#if defined(TEGULA_CONVERTS_OCP)
template <bool Long>
using ocp_conversions = amd_float8_conversions<Long>;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
/// cvt.rn.satfinite (PTX ISA), whose NaN has neither sign nor payload.
template <bool Long>
struct ocp_conversions
{
    /// Both halves by one asm: ptxas has the second conversion write beside the first, and joins no halves.
    template <bool>
    static TEGULA_INLINE std::uint32_t encode_word_on_device(float x0, float x1, float x2, float x3)
    {
        std::uint32_t word;
        if constexpr (Long)
            asm("{\n\t.reg .b16 low, high;\n\tcvt.rn.satfinite.e5m2x2.f32 low, %2, %1;\n\t"
                "cvt.rn.satfinite.e5m2x2.f32 high, %4, %3;\n\tmov.b32 %0, {low, high};\n\t}"
                : "=r"(word)
                : "f"(x0), "f"(x1), "f"(x2), "f"(x3));
        else
            asm("{\n\t.reg .b16 low, high;\n\tcvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n\t"
                "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\n\tmov.b32 %0, {low, high};\n\t}"
                : "=r"(word)
                : "f"(x0), "f"(x1), "f"(x2), "f"(x3));
        return word;
    }
    static TEGULA_INLINE std::uint8_t encode_on_device(float x)
    {
        return static_cast<std::uint8_t>(encode_pair(x, 0.0f));
    }
    /// By way of f16, which has every number of both formats.
    static TEGULA_INLINE array<float, 4> decode_word_on_device(std::uint32_t word)
    {
        array<float, 4> x;
        decode_pair(static_cast<std::uint16_t>(word), x[0], x[1]);
        decode_pair(static_cast<std::uint16_t>(word >> 16), x[2], x[3]);
        return x;
    }

private:
    static TEGULA_INLINE void decode_pair(std::uint16_t pair, float& low, float& high)
    {
        std::uint32_t halves;
        if constexpr (Long)
            asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves) : "h"(pair));
        else
            asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(pair));
        asm("{\n\t.reg .b16 a, b;\n\tmov.b32 {a, b}, %2;\n\tcvt.f32.f16 %0, a;\n\tcvt.f32.f16 %1, b;\n\t}"
            : "=f"(low), "=f"(high)
            : "r"(halves));
    }
    static TEGULA_INLINE std::uint16_t encode_pair(float low, float high)
    {
        std::uint16_t pair;
        if constexpr (Long)
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
        else
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
        return pair;
    }
};
#else
template <bool Long>
using ocp_conversions = no_conversions;
#endif
#if defined(TEGULA_CONVERTS_FNUZ)
template <bool Long>
using fnuz_conversions = amd_float8_conversions<Long>;
#else
template <bool Long>
using fnuz_conversions = no_conversions;
#endif
#undef TEGULA_CONVERTS_FNUZ
#undef TEGULA_CONVERTS_OCP

} // namespace detail

struct float8_e4m3_format : detail::float8_format<4, 3, 7, float_specials::nan_only>, detail::ocp_conversions<false>
{};
struct float8_e5m2_format : detail::float8_format<5, 2, 15, float_specials::ieee>, detail::ocp_conversions<true>
{};
struct float8_e4m3_fnuz_format : detail::float8_format<4, 3, 8, float_specials::fnuz>, detail::fnuz_conversions<false>
{};
struct float8_e5m2_fnuz_format : detail::float8_format<5, 2, 16, float_specials::fnuz>, detail::fnuz_conversions<true>
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
