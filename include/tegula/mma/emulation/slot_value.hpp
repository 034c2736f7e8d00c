#pragma once

#include <tegula/core/number_traits.hpp>
#include <tegula/mma/table/element_kind.hpp>

/// The numbers in the register slots of matrix instructions, for every element type of the table. Host only.

namespace tegula::emulation {

/// Sign, exponent and mantissa of the formats narrower than a byte; every pattern is a finite number (OCP MX 1.0).
struct narrow_format
{
    int exponent_bits;
    int mantissa_bits;
    int bias;
};

constexpr narrow_format narrow_format_of(element_kind kind)
{
    return kind == element_kind::f6e2m3   ? narrow_format{2, 3, 1}
           : kind == element_kind::f6e3m2 ? narrow_format{3, 2, 3}
                                          : narrow_format{2, 1, 1};
}

constexpr double decode_narrow(narrow_format f, std::uint64_t bits)
{
    const int mantissa = static_cast<int>(bits) & ((1 << f.mantissa_bits) - 1);
    const int exponent = static_cast<int>(bits >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
    double value = exponent == 0 ? mantissa : mantissa + (1 << f.mantissa_bits);
    for (int e = f.bias + f.mantissa_bits - (exponent == 0 ? 1 : exponent); e > 0; --e)
        value /= 2;
    for (int e = (exponent == 0 ? 1 : exponent) - f.bias - f.mantissa_bits; e > 0; --e)
        value *= 2;
    return (bits >> (f.exponent_bits + f.mantissa_bits) & 1) != 0 ? -value : value;
}

/// The number nearest to x, ties to the even pattern; past the largest one, the largest.
constexpr std::uint64_t encode_narrow(narrow_format f, double x)
{
    const double magnitude = x < 0 ? -x : x;
    const std::uint64_t count = 1u << (f.exponent_bits + f.mantissa_bits);
    std::uint64_t best = 0;
    for (std::uint64_t bits = 1; bits < count; ++bits) {
        const double above = decode_narrow(f, bits) - magnitude, below = magnitude - decode_narrow(f, best);
        if (above < below || (above == below && bits % 2 == 0))
            best = bits;
    }
    return x < 0 ? best | count : best;
}

/// Where a narrower element lies in its slot: 4-bit floats in bytes are the middle four bits (PTX ISA, kind::f8f6f4).
constexpr int slot_shift(element_kind kind, int slot_bits)
{
    return kind == element_kind::f4e2m1 && slot_bits == 8 ? 2 : 0;
}

/// The integer in the low bits of a slot.
constexpr std::int64_t decode_integer(int bits, std::uint64_t slot, bool is_signed)
{
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    const std::uint64_t value = slot & (2 * sign - 1);
    return static_cast<std::int64_t>(is_signed ? (value ^ sign) - sign : value);
}

/// The number in a slot; exact. tf32 and xf32 ignore the last 13 bits.
///
/// is_signed  whether iu8 and iu4 are signed; other types have a fixed sign
constexpr double decode_slot(element_kind kind, int slot_bits, std::uint64_t slot, bool is_signed = true)
{
    using enum element_kind;
    const auto bits = static_cast<std::uint32_t>(slot);
    switch (kind) {
    case f64:
        return __builtin_bit_cast(double, slot);
    case f32:
        return static_cast<double>(__builtin_bit_cast(float, bits));
    case tf32:
    case xf32: {
        const std::uint32_t seen = bits & 0xffffe000u;
        return static_cast<double>(__builtin_bit_cast(float, seen));
    }
    case f16:
        return static_cast<double>(half::from_bits(bits));
    case bf16:
        return static_cast<double>(bfloat16::from_bits(bits));
    case f8e4m3:
        return static_cast<double>(float8_e4m3::from_bits(bits));
    case f8e5m2:
        return static_cast<double>(float8_e5m2::from_bits(bits));
    case f8e4m3fnuz:
        return static_cast<double>(float8_e4m3_fnuz::from_bits(bits));
    case f8e5m2fnuz:
        return static_cast<double>(float8_e5m2_fnuz::from_bits(bits));
    case f6e2m3:
    case f6e3m2:
    case f4e2m1:
        return decode_narrow(narrow_format_of(kind), slot >> slot_shift(kind, slot_bits));
    case u8:
    case u4:
    case b1:
        return static_cast<double>(decode_integer(info(kind).bits, slot, false));
    case iu8:
    case iu4:
        return static_cast<double>(decode_integer(info(kind).bits, slot, is_signed));
    case i32:
    case i16:
    case i8:
    case i4:
        return static_cast<double>(decode_integer(info(kind).bits, slot, true));
    case none:
        break;
    }
    return 0;
}

/// The slot that holds x: floats rounded to nearest even, with the overflow of the library's number types; integers
/// must be in range.
constexpr std::uint64_t encode_slot(element_kind kind, int slot_bits, double x)
{
    using enum element_kind;
    switch (kind) {
    case f64:
        return __builtin_bit_cast(std::uint64_t, x);
    case f32: {
        const auto rounded = static_cast<float>(x);
        return __builtin_bit_cast(std::uint32_t, rounded);
    }
    case tf32:
    case xf32:
        return tfloat32(x).bits;
    case f16:
        return half(x).bits;
    case bf16:
        return bfloat16(x).bits;
    case f8e4m3:
        return float8_e4m3(x).bits;
    case f8e5m2:
        return float8_e5m2(x).bits;
    case f8e4m3fnuz:
        return float8_e4m3_fnuz(x).bits;
    case f8e5m2fnuz:
        return float8_e5m2_fnuz(x).bits;
    case f6e2m3:
    case f6e3m2:
    case f4e2m1:
        return encode_narrow(narrow_format_of(kind), x) << slot_shift(kind, slot_bits);
    case none:
        return 0;
    default:
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) & ((std::uint64_t{1} << info(kind).bits) - 1);
    }
}

} // namespace tegula::emulation
