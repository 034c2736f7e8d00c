// Conversions of numbers by AMD's instructions: floats to and from 8 bits. run_number_conversions.py runs them.
//
// targets: gfx942 gfx950 gfx1201
// expect * [encode_e4m3]: /v_cvt_pk_fp8_f32/ == 8
// expect * [encode_e5m2]: /v_cvt_pk_bf8_f32/ == 8
// expect * [decode_e4m3]: /v_cvt_pk_f32_fp8/ == 2, /v_cvt_f32_fp8/ == 4
// expect * [decode_e5m2]: /v_cvt_pk_f32_bf8/ == 2, /v_cvt_f32_bf8/ == 4

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

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

#define TEGULA_TEST_FORMAT(T)                                                                                          \
    extern "C" __global__ void encode_##T(std::uint32_t* to, const float* from) { encode<T>(to, from); }               \
    extern "C" __global__ void decode_##T(float* to, const std::uint32_t* from) { decode<T>(to, from); }

TEGULA_TEST_FORMAT(e4m3)
TEGULA_TEST_FORMAT(e5m2)

} // namespace tegula
