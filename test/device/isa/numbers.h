// Numbers as the instructions see them: bits, and the formats that C has no type for.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef int8_t i8;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;
typedef float f32;
typedef double f64;
typedef _Float16 f16;
typedef struct
{
    u16 bits;
} bf16;

#define REINTERPRET(name, from, to)                                                                                    \
    static inline to name(from x)                                                                                      \
    {                                                                                                                  \
        to y;                                                                                                          \
        memcpy(&y, &x, sizeof(y));                                                                                     \
        return y;                                                                                                      \
    }
REINTERPRET(as_f32, u32, f32)
REINTERPRET(of_f32, f32, u32)
REINTERPRET(as_f64, u64, f64)
REINTERPRET(of_f64, f64, u64)
REINTERPRET(as_f16, u16, f16)
REINTERPRET(of_f16, f16, u16)

static inline f32 bf16_to_f32(u16 x) { return as_f32((u32)x << 16); }

/// To nearest, ties to even; a NaN stays one.
static inline u16 f32_to_bf16(f32 value)
{
    u32 x = of_f32(value);
    return value != value ? (x >> 16 | 0x40) : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

/// 8 bits with `exponent` of them for the exponent: OCP (an infinity in e5m2 only, NaN in both), or FNUZ, whose bias is
/// one more and whose only NaN is 0x80 (OCP "8-bit Floating Point Specification"; AMD's CDNA3 ISA document, FP8).
static inline f32 fp8_to_f32(u8 x, int exponent, int fnuz)
{
    int mantissa = 7 - exponent, e = x >> mantissa & ((1 << exponent) - 1), m = x & ((1 << mantissa) - 1);
    int bias = (1 << (exponent - 1)) - 1 + fnuz;
    if (fnuz ? x == 0x80 : exponent == 4 ? (x & 0x7f) == 0x7f : e == 31 && m)
        return NAN;
    f64 y = !fnuz && exponent == 5 && e == 31 ? INFINITY
            : e                               ? ldexp(1 + (f64)m / (1 << mantissa), e - bias)
                                              : ldexp((f64)m / (1 << mantissa), 1 - bias);
    return x >> 7 ? -y : y;
}

/// The nearest of the 256 numbers, ties to the even code; what is too large becomes NaN (OCP e4m3, FNUZ) or infinity
/// (OCP e5m2): the instructions' result with FP16_OVFL = 0.
static inline u8 f32_to_fp8(f32 value, int exponent, int fnuz)
{
    int mantissa = 7 - exponent, bias = (1 << (exponent - 1)) - 1 + fnuz;
    u8 sign = signbit(value) ? 0x80 : 0, nan = fnuz ? 0x80 : sign | 0x7f;
    if (value != value)
        return nan;
    f64 x = fabs((f64)value);
    int e = x > 0 ? ilogb(x) : -bias;
    if (e < 1 - bias)
        e = 1 - bias;
    f64 steps = nearbyint(ldexp(x, mantissa - e)); // of the last place
    f64 largest = fp8_to_f32(fnuz ? 0x7f : exponent == 4 ? 0x7e : 0x7b, exponent, fnuz);
    if (ldexp(steps, e - mantissa) > largest)
        return exponent == 5 && !fnuz ? sign | 0x7c : nan;
    // A subnormal number's steps are its code; carries of the mantissa go into the exponent by themselves.
    int code = (int)steps + ((e + bias - 1) << mantissa);
    return code ? sign | code : fnuz ? 0 : sign;
}

/// The types of f8f6f4 by their number in cbsz and blgp: OCP e4m3, e5m2, e2m3, e3m2, e2m1; the narrow ones have neither
/// infinity nor NaN (OCP "Microscaling Formats (MX) Specification", 5.3).
static inline int small_bits(int type) { return type < 2 ? 8 : type < 4 ? 6 : 4; }

static inline f64 small_to_f64(u32 x, int type)
{
    if (type < 2)
        return fp8_to_f32((u8)x, type ? 5 : 4, 0);
    int bits = small_bits(type), exponent = type == 3 ? 3 : 2, mantissa = bits - 1 - exponent;
    int bias = (1 << (exponent - 1)) - 1;
    int e = x >> mantissa & ((1 << exponent) - 1), m = x & ((1 << mantissa) - 1);
    f64 y = e ? ldexp((1 << mantissa) + m, e - bias - mantissa) : ldexp(m, 1 - bias - mantissa);
    return x >> (bits - 1) ? -y : y;
}

/// The nearest number of e2m1, ties to the even code; what is larger becomes the largest (as above, 5.3.3).
static inline u8 f64_to_fp4(f64 value)
{
    u8 best = 0;
    for (u8 code = 1; code < 8; ++code) {
        f64 nearer = fabs(fabs(value) - small_to_f64(best, 4)) - fabs(fabs(value) - small_to_f64(code, 4));
        if (nearer > 0 || (nearer == 0 && code % 2 == 0))
            best = code;
    }
    return best | (signbit(value) ? 8 : 0);
}
