// Conversions of numbers by AMD's instructions: floats to and from 8 bits, runs of weights to 16 bits.
// run_number_conversions.py runs them.
//
// targets: gfx942 gfx950 gfx1201
// expect * [encode_e4m3]: /v_cvt_pk_fp8_f32/ == 8
// expect * [encode_e5m2]: /v_cvt_pk_bf8_f32/ == 8
// expect * [decode_e4m3]: /v_cvt_pk_f32_fp8/ == 2, /v_cvt_f32_fp8/ == 4
// expect * [decode_e5m2]: /v_cvt_pk_f32_bf8/ == 2, /v_cvt_f32_bf8/ == 4
// expect * [weights]: /v_cvt_(f32_[iu]32|f16_f32|f32_ubyte)/ <= 9, instructions <= 110
// expect gfx942 gfx950 [weights_int4_f16]: /v_cvt_/ == 0, /v_pk_mul_f16/ == 4

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/block/dequantizing_loader.hpp>
#include <tegula/tensor.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
inline constexpr bool is_fnuz = std::is_same_v<target, arch::gfx942>;
using e4m3 = std::conditional_t<is_fnuz, float8_e4m3_fnuz, float8_e4m3>;
using e5m2 = std::conditional_t<is_fnuz, float8_e5m2_fnuz, float8_e5m2>;

/// Four floats a lane: the word of them; of each one by itself; without saturation.
template <class T>
TEGULA_INLINE void encode(std::uint32_t* to, const float* from)
{
    const int thread = static_cast<int>(target::block_id()[0]) * target::wave_size + target::lane_id();
    const float* const x = from + 4 * thread;
    to[3 * thread] = encode_word<T>(x[0], x[1], x[2], x[3]);
    std::uint32_t word = 0;
    static_for<4>([&](auto i) { word |= static_cast<std::uint32_t>(T(x[i]).bits) << 8 * i; });
    to[3 * thread + 1] = word;
    to[3 * thread + 2] = encode_word<T, true>(x[0], x[1], x[2], x[3]);
}

/// A word a lane: its four numbers, and each by itself.
template <class T>
TEGULA_INLINE void decode(float* to, const std::uint32_t* from)
{
    const int thread = static_cast<int>(target::block_id()[0]) * target::wave_size + target::lane_id();
    const std::uint32_t word = from[thread];
    const auto x = decode_word<T>(word);
    static_for<4>([&](auto i) {
        to[8 * thread + i] = x[i];
        to[8 * thread + 4 + i] = static_cast<float>(T::from_bits(word >> 8 * i & 0xff));
    });
}

/// A run of eight weights, a scale and a zero point a lane.
template <class Wide, class Form>
TEGULA_INLINE void widen(std::uint32_t* to, const std::uint32_t* from, const typename Form::scale* scales,
                         const typename Form::zero* zeros)
{
    const int thread = static_cast<int>(target::block_id()[0]) * target::wave_size + target::lane_id();
    using run = detail::dequantized_run<target, Wide, Form, 8, true>;
    constexpr int words = run::packets / 4;
    array<std::uint32_t, words> bits;
    static_for<words>([&](auto w) { bits[w] = from[words * thread + w]; });
    const auto packets = __builtin_bit_cast(array<typename Form::packet, run::packets>, bits);
    const auto made = __builtin_bit_cast(array<std::uint32_t, 4>, run::make(packets, scales[thread], zeros[thread]));
    static_for<4>([&](auto w) { to[4 * thread + w] = made[w]; });
}

#define TEGULA_TEST_FORMAT(T)                                                                                          \
    extern "C" __global__ void encode_##T(std::uint32_t* to, const float* from) { encode<T>(to, from); }               \
    extern "C" __global__ void decode_##T(float* to, const std::uint32_t* from) { decode<T>(to, from); }
#define TEGULA_TEST_WEIGHTS(name, Wide, ...)                                                                           \
    extern "C" __global__ void weights_##name(std::uint32_t* to, const std::uint32_t* from,                            \
                                              const quantized<__VA_ARGS__>::scale* scales,                             \
                                              const quantized<__VA_ARGS__>::zero* zeros)                               \
    {                                                                                                                  \
        widen<Wide, quantized<__VA_ARGS__>>(to, from, scales, zeros);                                                  \
    }

TEGULA_TEST_FORMAT(e4m3)
TEGULA_TEST_FORMAT(e5m2)
TEGULA_TEST_WEIGHTS(int8_bf16, bfloat16, std::int8_t)
TEGULA_TEST_WEIGHTS(uint8_f16, half, std::uint8_t)
TEGULA_TEST_WEIGHTS(int4_f16, half, int4x2, 64, half)
TEGULA_TEST_WEIGHTS(uint4_f16_zeros, half, uint4x2, 64, half, std::uint8_t)
TEGULA_TEST_WEIGHTS(int8_f16_zeros, half, std::int8_t, 64, half, std::int8_t)
TEGULA_TEST_WEIGHTS(uint4_bf16_zeros, bfloat16, uint4x2, 64, float, std::uint8_t)
TEGULA_TEST_WEIGHTS(int4_bf16_float_zeros, bfloat16, int4x2, 64, half, float)
TEGULA_TEST_WEIGHTS(int8_bf16_scaled, bfloat16, std::int8_t, 64, float)

} // namespace tegula
