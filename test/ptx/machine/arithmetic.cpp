// Integer and floating-point arithmetic. PTX ISA: "Integer Arithmetic Instructions", "Extended-Precision Integer
// Arithmetic Instructions", "Floating Point Instructions", "Half Precision Floating Point Instructions".

#include "elementwise.hpp"

#include <type_traits>

namespace ptx {

float_mode take_float_mode(decoder& d)
{
    float_mode mode;
    mode.round = rounding_of(d.take_one({"rn", "rz", "rm", "rp"}, "rn"));
    mode.flush = d.take("ftz");
    mode.saturate = d.take("sat");
    mode.relu = d.take("relu");
    mode.nan = d.take("NaN");
    return mode;
}

namespace {

bool is_float(const std::string& type) { return type[0] == 'f' || type.starts_with("bf"); }

__extension__ using unsigned_wide = unsigned __int128;

/// x, or the nearest number that a type of 32 bits holds (.sat).
wide clamp(wide x, bool saturate)
{
    return !saturate ? x : x < INT32_MIN ? wide{INT32_MIN} : x > INT32_MAX ? wide{INT32_MAX} : x;
}

/// "add", "sub"; ".sat" of s32.
template <bool Subtract>
action add_or_subtract(decoder& d)
{
    if (d.has("cc"))
        return decode_carry(d, Subtract ? carry_operation::sub : carry_operation::add, false);
    float_mode mode = take_float_mode(d);
    const std::string type = d.take_type();
    if (const std::string narrow = type == "f32" ? d.take_one({"f16", "bf16"}) : ""; !narrow.empty())
        return mixed_operation<2>(d, narrow, mode, [](float a, float b) { return Subtract ? a - b : a + b; });
    if (is_float(type))
        return float_operation<2>(d, type, mode, [](auto a, auto b) { return Subtract ? a - b : a + b; });
    if (type.ends_with("x2"))
        return elementwise<2>(d.to(0), sources<2>(d, 32), [](auto a, auto b) {
            const std::uint64_t low = Subtract ? a - b : a + b,
                                high = Subtract ? (a >> 16) - (b >> 16) : (a >> 16) + (b >> 16);
            return (low & 0xffff) | (high & 0xffff) << 16;
        });
    return integer_operation<2>(
        d, type, [saturate = mode.saturate](wide a, wide b) { return clamp(Subtract ? a - b : a + b, saturate); });
}

/// "mul", "mad": .lo, .hi, .wide of integers; floating point.
template <bool Add>
action multiply(decoder& d)
{
    if (Add && d.has("cc"))
        return decode_carry(d, carry_operation::mad, false);
    const std::string part = d.take_one({"lo", "hi", "wide"});
    const float_mode mode = take_float_mode(d);
    const std::string type = d.take_type();
    if (is_float(type)) {
        if constexpr (Add)
            return float_operation<3>(d, type, mode, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
        else
            return float_operation<2>(d, type, mode, [](auto a, auto b) { return a * b; });
    }
    if (part.empty())
        throw fault("a product of integers without .lo, .hi or .wide");
    const int bits = parse_type(type).bits, result_bits = part == "wide" ? 2 * bits : bits;
    const int shift = part == "hi" ? bits : 0;
    const auto product = [shift](wide a, wide b) {
        // The top bit of a product of two unsigned 64-bit numbers is no sign.
        return static_cast<wide>(static_cast<unsigned_wide>(a * b) >> shift);
    };
    if constexpr (!Add) {
        return integer_operation<2>(d, type, product, result_bits);
    } else {
        if (part != "wide")
            return integer_operation<3>(
                d, type,
                [product, saturate = mode.saturate](wide a, wide b, wide c) {
                    return saturate ? clamp(static_cast<std::int32_t>(product(a, b)) + c, true) : product(a, b) + c;
                },
                result_bits);
        // c is as wide as the result: its low bits alone come through integer_operation.
        const std::array from{d.from(1, 0), d.from(2, 0), d.from(3, 0)};
        const bool is_signed = parse_type(type).kind == 's';
        return elementwise<3>(d.to(0), from, [=](auto a, auto b, auto c) {
            const int cut = 64 - bits;
            const wide x = is_signed ? wide{static_cast<std::int64_t>(a << cut) >> cut} : wide{a << cut >> cut};
            const wide y = is_signed ? wide{static_cast<std::int64_t>(b << cut) >> cut} : wide{b << cut >> cut};
            return (static_cast<std::uint64_t>(x * y) + c) << (64 - result_bits) >> (64 - result_bits);
        });
    }
}

/// "mul24", "mad24": products of the low 24 bits.
template <bool Add>
action multiply_24(decoder& d)
{
    const bool high = d.take_one({"lo", "hi"}, "lo") == "hi";
    const bool is_signed = d.take_type() == "s32";
    constexpr std::size_t n = Add ? 3 : 2;
    return elementwise<n>(d.to(0), sources<n>(d, 32), [high, is_signed](auto a, auto b, auto... c) {
        const auto low = [is_signed](std::uint64_t x) {
            const auto bits = static_cast<std::int64_t>(x & 0xffffff);
            return is_signed && (bits & 0x800000) ? bits - 0x1000000 : bits;
        };
        const std::int64_t product = low(a) * low(b);
        return static_cast<std::uint32_t>((high ? product >> 16 : product) +
                                          (std::int64_t{0} + ... + static_cast<std::int64_t>(c)));
    });
}

/// "fma", with ".relu" for halves.
action fused(decoder& d)
{
    const float_mode mode = take_float_mode(d);
    const std::string type = d.take_type();
    if (const std::string narrow = type == "f32" ? d.take_one({"f16", "bf16"}) : ""; !narrow.empty())
        return mixed_operation<3>(d, narrow, mode, [](float a, float b, float c) { return std::fma(a, b, c); });
    return float_operation<3>(d, type, mode, [](auto a, auto b, auto c) { return std::fma(a, b, c); });
}

/// "div" of integers, where a division by zero has no stated result; of f32 with .approx and .full.
action divide(decoder& d)
{
    d.take_one({"approx", "full"});
    const float_mode mode = take_float_mode(d);
    const std::string type = d.take_type();
    if (is_float(type))
        return float_operation<2>(d, type, mode, [](auto a, auto b) { return a / b; });
    return integer_operation<2>(d, type, [](wide a, wide b) { return b == 0 ? wide{-1} : a / b; });
}

/// "rem".
action remainder(decoder& d)
{
    return integer_operation<2>(d, d.take_type(), [](wide a, wide b) { return b == 0 ? a : a % b; });
}

/// "min", "max": of floating point the other operand where one is NaN, NaN with .NaN; -0 is below +0.
template <bool Largest>
action extreme(decoder& d)
{
    const bool of_sizes = d.take("xorsign");
    if (of_sizes)
        throw fault(".xorsign is not in the machine");
    const float_mode mode = take_float_mode(d);
    const std::string type = d.take_type();
    if (is_float(type)) {
        const auto pick = [nan = mode.nan](auto a, auto b) {
            if (a != a || b != b)
                return nan ? (a != a ? a : b) : (a != a ? b : a);
            if (a == b)
                return std::signbit(a) == Largest ? b : a;
            return (a < b) == Largest ? b : a;
        };
        if (d.operands() == 4)
            return float_operation<3>(d, type, mode, [pick](auto a, auto b, auto c) { return pick(pick(a, b), c); });
        return float_operation<2>(d, type, mode, pick);
    }
    if (type.ends_with("x2")) {
        const bool is_signed = type[0] == 's';
        return elementwise<2>(d.to(0), sources<2>(d, 32), [is_signed](auto a, auto b) {
            std::uint64_t result = 0;
            for (int shift = 0; shift < 32; shift += 16) {
                const auto x = static_cast<std::uint16_t>(a >> shift), y = static_cast<std::uint16_t>(b >> shift);
                const bool less = is_signed ? static_cast<std::int16_t>(x) < static_cast<std::int16_t>(y) : x < y;
                result |= static_cast<std::uint64_t>(less == Largest ? y : x) << shift;
            }
            return result;
        });
    }
    return integer_operation<2>(d, type, [relu = mode.relu](wide a, wide b) {
        const wide x = (a < b) == Largest ? b : a;
        return relu && x < 0 ? wide{0} : x;
    });
}

/// "abs", "neg". Those of floating point change the sign bit alone.
template <bool Negate>
action sign(decoder& d)
{
    const float_mode mode = take_float_mode(d);
    const std::string type = d.take_type();
    if (is_float(type)) {
        const std::uint64_t bit = type == "f64"          ? std::uint64_t{1} << 63
                                  : type == "f32"        ? 0x80000000
                                  : type.ends_with("x2") ? 0x80008000
                                                         : 0x8000;
        return elementwise<1>(d.to(0), sources<1>(d, type == "f64" ? 64 : 32), [bit, mode, type](auto a) {
            const std::uint64_t x = mode.flush && type == "f32" ? bits_of(flush(as_float(a))) : a;
            return Negate ? x ^ bit : x & ~bit;
        });
    }
    return integer_operation<1>(d, type, [](wide a) { return Negate || a < 0 ? -a : a; });
}

/// "sad": |a - b| + c.
action sum_of_differences(decoder& d)
{
    return integer_operation<3>(d, d.take_type(), [](wide a, wide b, wide c) { return (a < b ? b - a : a - b) + c; });
}

/// "dp4a", "dp2a".
template <int Parts>
action dot_product(decoder& d)
{
    const bool high = Parts == 2 && d.take_one({"lo", "hi"}) == "hi";
    const bool b_signed = d.take_last() == "s32"; // types from the right
    const bool a_signed = d.take_last() == "s32";
    return elementwise<3>(d.to(0), sources<3>(d, 32), [=](auto a, auto b, auto c) {
        std::int64_t sum = static_cast<std::int32_t>(c);
        for (int i = 0; i < Parts; ++i) {
            const auto y8 = static_cast<std::uint8_t>(b >> 8 * (i + (high ? 2 : 0)));
            const std::int64_t y = b_signed ? static_cast<std::int8_t>(y8) : y8;
            if (Parts == 4) {
                const auto x8 = static_cast<std::uint8_t>(a >> 8 * i);
                sum += y * (a_signed ? static_cast<std::int8_t>(x8) : x8);
            } else {
                const auto x16 = static_cast<std::uint16_t>(a >> 16 * i);
                sum += y * (a_signed ? static_cast<std::int16_t>(x16) : x16);
            }
        }
        return static_cast<std::uint32_t>(sum);
    });
}

} // namespace

void add_arithmetic(decoder_table& table)
{
    table["add"] = add_or_subtract<false>;
    table["sub"] = add_or_subtract<true>;
    table["mul"] = multiply<false>;
    table["mad"] = multiply<true>;
    table["mul24"] = multiply_24<false>;
    table["mad24"] = multiply_24<true>;
    table["fma"] = fused;
    table["div"] = divide;
    table["rem"] = remainder;
    table["min"] = extreme<false>;
    table["max"] = extreme<true>;
    table["abs"] = sign<false>;
    table["neg"] = sign<true>;
    table["sad"] = sum_of_differences;
    table["dp4a"] = dot_product<4>;
    table["dp2a"] = dot_product<2>;
}

} // namespace ptx
