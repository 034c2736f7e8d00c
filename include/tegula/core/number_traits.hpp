#pragma once

#include <tegula/core/bfloat16.hpp>
#include <tegula/core/float4.hpp>
#include <tegula/core/float6.hpp>
#include <tegula/core/float8.hpp>
#include <tegula/core/half.hpp>
#include <tegula/core/int4.hpp>
#include <tegula/core/tfloat32.hpp>

namespace tegula {

/// Facts about an element type for generic code:
///
/// name()         as the table of matrix instructions spells it: "f16", "bf16", "f8e4m3fnuz", "tf32", "i8" ...
/// bits           of one element as it is stored; 32 for tf32
/// packing        elements in one object: 2 for int4x2, uint4x2 and float4_e2m1x2, 4 for packed 6-bit floats, else 1
/// mantissa_bits  stored ones, without the leading 1; 0 for integers
/// accumulator    type of sums of products: float, double or int32
/// max()          largest finite value, as the accumulator type
/// epsilon()      distance from 1 to the next number; 0 for integers
/// is_float
template <class T>
struct number_traits;

namespace detail {

template <class Accumulator>
constexpr TEGULA_HOST_DEVICE Accumulator power_of_two(int exponent)
{
    Accumulator value = 1;
    for (; exponent < 0; ++exponent)
        value /= 2;
    return value;
}

template <class Accumulator, int Bits, int MantissaBits>
struct float_traits
{
    using accumulator = Accumulator;
    static constexpr bool is_float = true;
    static constexpr int bits = Bits;
    static constexpr int packing = 1;
    static constexpr int mantissa_bits = MantissaBits;
    static constexpr TEGULA_HOST_DEVICE Accumulator epsilon() { return power_of_two<Accumulator>(-MantissaBits); }
};

template <class Format>
struct small_float_traits : float_traits<float, Format::width, Format::mantissa_bits>
{
    static constexpr TEGULA_HOST_DEVICE float max() { return decode_float<Format>(Format::max_bits); }
};

template <int Bits, int Packing, std::int32_t Max>
struct integer_traits
{
    using accumulator = std::int32_t;
    static constexpr bool is_float = false;
    static constexpr int bits = Bits;
    static constexpr int packing = Packing;
    static constexpr int mantissa_bits = 0;
    static constexpr TEGULA_HOST_DEVICE std::int32_t max() { return Max; }
    static constexpr TEGULA_HOST_DEVICE std::int32_t epsilon() { return 0; }
};

} // namespace detail

template <>
struct number_traits<half> : detail::small_float_traits<half_format>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f16"; }
};
template <>
struct number_traits<bfloat16> : detail::small_float_traits<bfloat16_format>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "bf16"; }
};
template <>
struct number_traits<float8_e4m3> : detail::small_float_traits<float8_e4m3_format>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f8e4m3"; }
};
template <>
struct number_traits<float8_e5m2> : detail::small_float_traits<float8_e5m2_format>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f8e5m2"; }
};
template <>
struct number_traits<float8_e4m3_fnuz> : detail::small_float_traits<float8_e4m3_fnuz_format>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f8e4m3fnuz"; }
};
template <>
struct number_traits<float8_e5m2_fnuz> : detail::small_float_traits<float8_e5m2_fnuz_format>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f8e5m2fnuz"; }
};
template <>
struct number_traits<float4_e2m1> : detail::small_float_traits<float4_e2m1_format>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f4e2m1"; }
};
template <>
struct number_traits<float6_e2m3> : detail::small_float_traits<float6_e2m3_format>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f6e2m3"; }
};
template <>
struct number_traits<float6_e3m2> : detail::small_float_traits<float6_e3m2_format>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f6e3m2"; }
};
template <class Format>
struct number_traits<packed_float<Format>> : number_traits<small_float<Format>>
{
    static constexpr int packing = packed_float<Format>::size;
};
template <>
struct number_traits<tfloat32> : detail::float_traits<float, 32, 10>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "tf32"; }
    static constexpr TEGULA_HOST_DEVICE float max() { return __builtin_bit_cast(float, 0x7f7fe000u); }
};
template <>
struct number_traits<float> : detail::float_traits<float, 32, 23>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f32"; }
    static constexpr TEGULA_HOST_DEVICE float max() { return 0x1.fffffep127f; }
};
template <>
struct number_traits<double> : detail::float_traits<double, 64, 52>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "f64"; }
    static constexpr TEGULA_HOST_DEVICE double max() { return 0x1.fffffffffffffp1023; }
};
template <>
struct number_traits<std::int8_t> : detail::integer_traits<8, 1, 127>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "i8"; }
};
template <>
struct number_traits<std::uint8_t> : detail::integer_traits<8, 1, 255>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "u8"; }
};
template <>
struct number_traits<std::int16_t> : detail::integer_traits<16, 1, 0x7fff>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "i16"; }
};
template <>
struct number_traits<std::int32_t> : detail::integer_traits<32, 1, 0x7fffffff>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "i32"; }
};
template <>
struct number_traits<int4x2> : detail::integer_traits<4, 2, 7>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "i4"; }
};
template <>
struct number_traits<uint4x2> : detail::integer_traits<4, 2, 15>
{
    static constexpr TEGULA_HOST_DEVICE const char* name() { return "u4"; }
};

/// True for the types number_traits knows.
template <class T>
concept number = requires { number_traits<T>::bits; };

} // namespace tegula
