#pragma once

// Number formats as bits. PTX ISA: "Fundamental Types", "Alternate Floating-Point Data Formats", "Packed Data Types";
// the rounding modes of "cvt".

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ptx {

enum class rounding { nearest_even, zero, down, up, nearest_away };

/// A floating-point format of at most 32 bits, sign first.
struct float_format
{
    int exponent_bits, mantissa_bits;
    enum class special { ieee, nan_only, none } specials; ///< nan_only: all ones is NaN and there is no infinity

    constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
    constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    constexpr std::uint32_t sign() const { return std::uint32_t{1} << (exponent_bits + mantissa_bits); }
    constexpr std::uint32_t infinity() const { return ((std::uint32_t{1} << exponent_bits) - 1) << mantissa_bits; }
    constexpr std::uint32_t nan() const
    {
        // The canonical NaNs of the formats (f16 and bf16: 0x7fff; e4m3 and e5m2: 0x7f).
        return sign() - 1;
    }
    constexpr std::uint32_t largest() const
    {
        return specials == special::ieee ? infinity() - 1 : specials == special::nan_only ? nan() - 1 : sign() - 1;
    }
};

inline constexpr float_format format_f16{5, 10, float_format::special::ieee};
inline constexpr float_format format_bf16{8, 7, float_format::special::ieee};
inline constexpr float_format format_tf32{8, 10, float_format::special::ieee};
inline constexpr float_format format_e4m3{4, 3, float_format::special::nan_only};
inline constexpr float_format format_e5m2{5, 2, float_format::special::ieee};
inline constexpr float_format format_e2m3{2, 3, float_format::special::none},
    format_e3m2{3, 2, float_format::special::none}, format_e2m1{2, 1, float_format::special::none};

inline double decode_float(std::uint32_t bits, const float_format& f)
{
    const std::uint32_t exponent = bits >> f.mantissa_bits & ((1u << f.exponent_bits) - 1);
    const std::uint32_t mantissa = bits & ((1u << f.mantissa_bits) - 1);
    const double sign = bits & f.sign() ? -1.0 : 1.0;
    if (f.specials == float_format::special::ieee && exponent == (1u << f.exponent_bits) - 1)
        return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    if (f.specials == float_format::special::nan_only && (bits & (f.sign() - 1)) == f.nan())
        return std::numeric_limits<double>::quiet_NaN();
    const int shift = static_cast<int>(exponent != 0 ? exponent : 1) - f.bias() - f.mantissa_bits;
    return sign * std::ldexp(static_cast<double>(mantissa + (exponent != 0 ? 1u << f.mantissa_bits : 0u)), shift);
}

/// `finite`: beyond the largest number comes the largest number (.satfinite), not infinity or NaN.
inline std::uint32_t encode_float(double x, const float_format& f, rounding mode = rounding::nearest_even,
                                  bool finite = false)
{
    if (std::isnan(x))
        return f.nan();
    const std::uint32_t sign = std::signbit(x) ? f.sign() : 0;
    const double size = std::fabs(x);
    const std::uint32_t beyond = f.specials == float_format::special::ieee ? f.infinity() : f.nan();
    if (std::isinf(size))
        return sign | (finite ? f.largest() : beyond);
    if (size == 0)
        return sign;
    int exponent = 0;
    std::frexp(size, &exponent); // size = [0.5, 1) * 2^exponent
    const int lowest = 1 - f.bias();
    const int scale = (exponent - 1 < lowest ? lowest : exponent - 1) - f.mantissa_bits;
    const double units = std::ldexp(size, -scale); // exact: a unit is the distance of neighbours
    double whole = std::floor(units);
    const double rest = units - whole;
    const bool odd = std::fmod(whole, 2.0) != 0;
    bool grow = false;
    switch (mode) {
    case rounding::nearest_even:
        grow = rest > 0.5 || (rest == 0.5 && odd);
        break;
    case rounding::nearest_away:
        grow = rest >= 0.5;
        break;
    case rounding::zero:
        break;
    case rounding::down:
        grow = rest > 0 && sign != 0;
        break;
    case rounding::up:
        grow = rest > 0 && sign == 0;
        break;
    }
    whole += grow ? 1 : 0;
    if (whole == 0)
        return sign;
    int e = 0;
    std::frexp(whole, &e);
    const int final_exponent = scale + e - 1;
    const double largest = decode_float(f.largest(), f);
    const double value = std::ldexp(whole, scale);
    if (value > largest) {
        const bool stays = finite || mode == rounding::zero || (mode == rounding::down && sign == 0) ||
                           (mode == rounding::up && sign != 0);
        return sign | (stays ? f.largest() : beyond);
    }
    const std::uint32_t hidden = 1u << f.mantissa_bits;
    const auto mantissa = static_cast<std::uint32_t>(
        std::ldexp(value, f.mantissa_bits - (final_exponent < lowest ? lowest : final_exponent)));
    const std::uint32_t field = final_exponent < lowest ? 0 : static_cast<std::uint32_t>(final_exponent + f.bias());
    return sign | (field << f.mantissa_bits) | (mantissa & (hidden - 1));
}

inline float as_float(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
inline double as_double(std::uint64_t bits) { return std::bit_cast<double>(bits); }
inline std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

/// Subnormals become zero of the same sign (.ftz).
inline float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

/// All codes of a small format as float.
inline const std::vector<float>& float_table(const float_format& f)
{
    const auto make = [](const float_format& g) {
        std::vector<float> table(std::size_t{1} << g.bits());
        for (std::size_t i = 0; i < table.size(); ++i)
            table[i] = static_cast<float>(decode_float(static_cast<std::uint32_t>(i), g));
        return table;
    };
    static const std::vector<float> f16 = make(format_f16), bf16 = make(format_bf16), e4m3 = make(format_e4m3),
                                    e5m2 = make(format_e5m2), e2m3 = make(format_e2m3), e3m2 = make(format_e3m2),
                                    e2m1 = make(format_e2m1);
    if (f.bits() < 8)
        return f.bits() == 4 ? e2m1 : f.exponent_bits == 2 ? e2m3 : e3m2;
    return f.bits() == 16 ? (f.exponent_bits == 5 ? f16 : bf16) : f.exponent_bits == 4 ? e4m3 : e5m2;
}

/// Rounds f32 and f64 arithmetic another way than to the nearest while it lives. Scopes do not nest.
class rounding_scope
{
public:
    explicit rounding_scope(rounding mode)
        : changes_(mode == rounding::zero || mode == rounding::down || mode == rounding::up)
    {
        if (changes_)
            std::fesetround(mode == rounding::zero ? FE_TOWARDZERO : mode == rounding::down ? FE_DOWNWARD : FE_UPWARD);
    }
    ~rounding_scope()
    {
        if (changes_)
            std::fesetround(FE_TONEAREST);
    }
    rounding_scope(const rounding_scope&) = delete;

private:
    bool changes_;
};

inline rounding rounding_of(const std::string& name)
{
    if (name == "rz" || name == "rzi")
        return rounding::zero;
    if (name == "rm" || name == "rmi")
        return rounding::down;
    if (name == "rp" || name == "rpi")
        return rounding::up;
    if (name == "rna")
        return rounding::nearest_away;
    return rounding::nearest_even;
}

} // namespace ptx
