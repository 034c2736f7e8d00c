#pragma once

// Instructions that compute each lane's result from its own operands.

#include "decode.hpp"

namespace ptx {

/// An instruction whose result is f of N operands; a poisoned operand poisons all of it.
template <std::size_t N, class F>
action elementwise(destination to, const std::array<source, N>& from, F f)
{
    return [to, from, f](warp& w, lane_mask mask) {
        std::array<const std::uint64_t*, N> values;
        std::array<const std::uint8_t*, N> poison;
        for (std::size_t i = 0; i < N; ++i) {
            values[i] = from[i].values(w);
            poison[i] = from[i].poison(w);
        }
        each_lane(mask, [&](int lane) {
            unsigned poisoned = 0;
            for (std::size_t i = 0; i < N; ++i)
                poisoned |= poison[i][lane];
            const std::uint64_t result = [&]<std::size_t... I>(std::index_sequence<I...>) {
                return static_cast<std::uint64_t>(f(values[I][lane]...));
            }(std::make_index_sequence<N>{});
            to.write(w, lane, result, spread(poisoned));
        });
        return outcome::next;
    };
}

/// The operands 1 to N of a statement.
template <std::size_t N>
std::array<source, N> sources(decoder& d, int bits)
{
    std::array<source, N> all;
    for (std::size_t i = 0; i < N; ++i)
        all[i] = d.from(i + 1, bits);
    return all;
}

/// Holds every product of two 64-bit numbers of either sign, as far as its bits go.
__extension__ using wide = __int128;

/// An operation f(wide...) on integers of a type: operands are extended by its sign, the result is cut to its width, or
/// to `result_bits`.
template <std::size_t N, class F>
action integer_operation(decoder& d, const std::string& type, F f, int result_bits = 0)
{
    const register_type t = parse_type(type);
    if (t.kind == 'f' || t.kind == 'p' || t.bits < 16)
        throw fault("." + type + " is no integer type of this instruction");
    const int shift = 64 - t.bits, cut = 64 - (result_bits != 0 ? result_bits : t.bits);
    const bool is_signed = t.kind == 's';
    return elementwise<N>(d.to(0), sources<N>(d, 0), [=](auto... bits) {
        const auto extend = [=](std::uint64_t x) -> wide {
            return is_signed ? wide{static_cast<std::int64_t>(x << shift) >> shift} : wide{x << shift >> shift};
        };
        return static_cast<std::uint64_t>(f(extend(bits)...)) << cut >> cut;
    });
}

/// How a floating-point instruction rounds and what it does about subnormals and limits.
struct float_mode
{
    rounding round = rounding::nearest_even;
    bool flush = false, saturate = false, relu = false, nan = false;
};
float_mode take_float_mode(decoder& d);

/// add, sub, mad with .cc, and addc, subc, madc, which read the carry.
enum class carry_operation { add, sub, mad };
action decode_carry(decoder& d, carry_operation what, bool reads);

/// An operation f(float...) with f16 or bf16 in front of the last operand and f32 there.
template <std::size_t N, class F>
action mixed_operation(decoder& d, const std::string& narrow, float_mode mode, F f)
{
    const float_format format = narrow == "f16" ? format_f16 : format_bf16;
    const destination to = d.to(0);
    std::array<source, N> from;
    for (std::size_t i = 0; i < N; ++i)
        from[i] = d.from(i + 1, i + 1 < N ? 16 : 32);
    return elementwise<N>(to, from, [=](auto... bits) {
        const rounding_scope scope(mode.round);
        const std::uint64_t raw[N] = {bits...};
        const float x = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return static_cast<float>(
                f(I + 1 < N ? static_cast<float>(decode_float(static_cast<std::uint32_t>(raw[I]) & 0xffff, format))
                            : as_float(raw[I])...));
        }(std::make_index_sequence<N>{});
        return bits_of(!mode.saturate ? x : x > 0 ? (x < 1 ? x : 1.0f) : 0.0f);
    });
}

/// An operation f(double...) or f(float...) in a type: f16, bf16, their pairs, f32, f64, and pairs of f32. Below f32 the operation is in
/// double, where products and sums of two numbers are exact, and rounds once.
template <std::size_t N, class F>
action float_operation(decoder& d, const std::string& type, float_mode mode, F f)
{
    const auto after = [mode](auto x) {
        if (mode.saturate)
            x = x > 0 ? (x < 1 ? x : decltype(x)(1)) : decltype(x)(0);
        if (mode.relu && !(x != x))
            x = x > 0 ? x : decltype(x)(0);
        return x;
    };
    const destination to = d.to(0);
    const auto single = [mode, f, after](auto... bits) {
        const auto in = [mode](std::uint64_t b) { return mode.flush ? flush(as_float(b)) : as_float(b); };
        const float x = after(static_cast<float>(f(in(bits)...)));
        return bits_of(mode.flush ? flush(x) : x);
    };
    if (type == "f32")
        return elementwise<N>(to, sources<N>(d, 32), [mode, single](auto... bits) {
            const rounding_scope scope(mode.round);
            return single(bits...);
        });
    if (type == "f32x2")
        return elementwise<N>(to, sources<N>(d, 64), [mode, single](auto... bits) {
            const rounding_scope scope(mode.round);
            return single((bits & 0xffffffff)...) | single(bits >> 32 ...) << 32;
        });
    if (type == "f64")
        return elementwise<N>(to, sources<N>(d, 64), [mode, f, after](auto... bits) {
            const rounding_scope scope(mode.round);
            return bits_of(after(static_cast<double>(f(as_double(bits)...))));
        });
    const bool half = type.starts_with("f16");
    if (!half && !type.starts_with("bf16"))
        throw fault("." + type + " is no floating-point type of this instruction");
    const float_format format = half ? format_f16 : format_bf16;
    const int parts = type.ends_with("x2") ? 2 : 1;
    return elementwise<N>(to, sources<N>(d, 16 * parts), [format, parts, f, after](auto... bits) {
        std::uint64_t result = 0;
        for (int i = 0; i < parts; ++i) {
            const double x = after(
                static_cast<double>(f(decode_float(static_cast<std::uint32_t>(bits >> 16 * i) & 0xffff, format)...)));
            result |= std::uint64_t{encode_float(x, format)} << 16 * i;
        }
        return result;
    });
}

} // namespace ptx
