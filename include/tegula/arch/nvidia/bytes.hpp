#pragma once

#include <tegula/arch/nvidia/primitives.hpp>
#include <tegula/core/float8.hpp>

/// Elements of 8 bits, four in a register of an NVIDIA lane.

namespace tegula::arch::nvidia {

/// Four bytes of two words: byte i of the result is byte (Bytes >> 4 * i & 7) of the eight bytes of `low` and then
/// `high` (prmt, PTX ISA).
template <std::uint32_t Bytes>
TEGULA_INLINE std::uint32_t pick_bytes(std::uint32_t low, std::uint32_t high)
{
#if TEGULA_NVIDIA_PASS
    return __byte_perm(low, high, Bytes);
#else
    return host_pick_bytes(Bytes, low, high);
#endif
}

/// Two numbers rounded to nearest even and saturated, `low` in the low byte (cvt.rn.satfinite from sm_89 on, PTX ISA).
///
///   T  float8_e4m3 or float8_e5m2
template <class T>
TEGULA_INLINE std::uint32_t round_pair(float low, float high)
{
    static_assert(std::is_same_v<T, float8_e4m3> || std::is_same_v<T, float8_e5m2>);
#if TEGULA_NVIDIA_PASS && __CUDA_ARCH__ >= 890
    std::uint16_t pair;
    if constexpr (std::is_same_v<T, float8_e4m3>)
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
    else
        asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
    return pair;
#else
    return __builtin_bit_cast(std::uint8_t, static_cast<T>(low)) |
           std::uint32_t{__builtin_bit_cast(std::uint8_t, static_cast<T>(high))} << 8;
#endif
}

} // namespace tegula::arch::nvidia
