#pragma once

// Element types of matrix instructions, decoded into numbers that products can be computed with.

#include "decode.hpp"

#include <algorithm>
#include <cstdio>

namespace ptx {

struct matrix_type
{
    std::string name;
    int bits = 0; ///< of a place in a register
    bool integer = false, is_signed = false;
    const float* table = nullptr; ///< of up to 16 bits
    int shift = 0, width = 0;     ///< where in its place a number of the table is, if that is wider

    /// Products of two elements and sums of a few are exact in double.
    double decode(std::uint64_t code) const
    {
        if (table != nullptr)
            return table[code >> shift & ((1u << (width > 0 ? width : bits)) - 1)];
        if (integer) {
            const int shift = 64 - bits;
            return is_signed ? static_cast<double>(static_cast<std::int64_t>(code << shift) >> shift)
                             : static_cast<double>(code << shift >> shift);
        }
        if (name == "f64")
            return as_double(code);
        if (name == "tf32") // the low 13 bits are ignored
            return as_float(code & 0xffffe000);
        return as_float(code);
    }
    std::uint64_t encode(double x, bool saturate) const
    {
        if (name == "f64")
            return bits_of(x);
        if (name == "f16")
            return encode_float(x, format_f16);
        if (name == "s32") {
            const auto whole = static_cast<std::int64_t>(x);
            if (saturate)
                return static_cast<std::uint32_t>(
                    std::min<std::int64_t>(std::max<std::int64_t>(whole, INT32_MIN), INT32_MAX));
            return static_cast<std::uint32_t>(whole);
        }
        return bits_of(static_cast<float>(x));
    }
};

/// in_bytes: numbers of 6 and 4 bits fill bytes, those of 4 from bit 2 on (5.2.3 "Alternate Floating-Point Data Formats").
inline matrix_type matrix_type_of(const std::string& name, bool in_bytes = false)
{
    matrix_type t{name};
    if (name == "e2m1" || name == "e2m3" || name == "e3m2") {
        t.table = float_table(name == "e2m1" ? format_e2m1 : name == "e2m3" ? format_e2m3 : format_e3m2).data();
        t.width = name == "e2m1" ? 4 : 6;
        t.bits = in_bytes ? 8 : t.width;
        t.shift = in_bytes && t.width == 4 ? 2 : 0;
        if (t.bits == 6)
            throw fault("matrix elements of type ." + name + " have a byte each");
        return t;
    }
    if (name == "f16" || name == "bf16")
        t.bits = 16;
    else if (name == "e4m3" || name == "e5m2")
        t.bits = 8;
    else if (name == "tf32" || name == "f32")
        t.bits = 32;
    else if (name == "f64")
        t.bits = 64;
    else if (name == "s8" || name == "u8" || name == "s4" || name == "u4" || name == "s32" || name == "b1") {
        t.bits = name.size() == 3 ? 32 : name[1] - '0';
        t.integer = true;
        t.is_signed = name[0] == 's';
    } else {
        throw fault("matrix elements of type ." + name + " are not in the machine");
    }
    if (name == "f16")
        t.table = float_table(format_f16).data();
    else if (name == "bf16")
        t.table = float_table(format_bf16).data();
    else if (name == "e4m3")
        t.table = float_table(format_e4m3).data();
    else if (name == "e5m2")
        t.table = float_table(format_e5m2).data();
    return t;
}

/// "m16n8k16" as numbers.
struct matrix_shape
{
    int m = 0, n = 0, k = 0;
};
inline matrix_shape take_shape(decoder& d)
{
    for (const std::string& word : d.what().modifiers) {
        matrix_shape s;
        int used = 0;
        if (std::sscanf(word.c_str(), "m%dn%dk%d%n", &s.m, &s.n, &s.k, &used) == 3 &&
            used == static_cast<int>(word.size())) {
            d.take(word);
            return s;
        }
    }
    throw fault(d.what().text() + ": a shape is missing");
}

/// The registers of a fragment as elements.
struct fragment_reader
{
    std::vector<source> registers;
    matrix_type type;

    int slots() const { return static_cast<int>(registers.size()) * (type.bits < 32 ? 32 / type.bits : 1); }
    /// f(lane, slot, value, poisoned) for all.
    template <class F>
    void each(warp& w, F f) const
    {
        const int packed = type.bits < 32 ? 32 / type.bits : 1;
        for (std::size_t r = 0; r < registers.size(); ++r) {
            const std::uint64_t* values = registers[r].values(w);
            const std::uint8_t* poison = registers[r].poison(w);
            for (int lane = 0; lane < lanes; ++lane)
                for (int i = 0; i < packed; ++i) {
                    const std::uint64_t code = type.bits < 64 ? values[lane] >> type.bits * i : values[lane];
                    const bool poisoned = type.bits < 8
                                              ? poison[lane] != 0
                                              : (poison[lane] >> type.bits / 8 * i & ((1 << type.bits / 8) - 1)) != 0;
                    f(lane, static_cast<int>(r) * packed + i, type.decode(code), poisoned);
                }
        }
    }
};

} // namespace ptx
