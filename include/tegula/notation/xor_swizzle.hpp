#pragma once

/// XOR swizzles <B,M,S> of shared-memory offsets, alone and in front of a shape:stride layout.

#include <tegula/notation/strided_linear.hpp>
#include <tegula/notation/strided_text.hpp>

#include <bit>

namespace tegula {

/// XORs B bits of an offset into B others: bits [M + S, M + S + B) into bits [M, M + B) if S > 0, and bits [M, M +
/// B) into bits [M - S, M - S + B) if S < 0. It is its own inverse. check() verifies that B and M are at least
/// 0, |S| >= B, and the highest bit is below 62.
struct xor_swizzle
{
    int bits = 0;  ///< B
    int base = 0;  ///< M: the lowest bits, which it leaves alone, so that 2^M neighbours stay neighbours
    int shift = 0; ///< S

    constexpr TEGULA_HOST_DEVICE long_index_t operator()(long_index_t offset) const
    {
        const long_index_t mask = (long_index_t{1} << bits) - 1;
        return shift >= 0 ? offset ^ (((offset >> (base + shift)) & mask) << base)
                          : offset ^ (((offset >> base) & mask) << (base - shift));
    }
    friend constexpr bool operator==(const xor_swizzle&, const xor_swizzle&) = default;
};

constexpr xor_swizzle inverse(const xor_swizzle& s) { return s; }

constexpr status check(const xor_swizzle& s)
{
    const int distance = s.shift < 0 ? -s.shift : s.shift;
    if (s.bits < 0 || s.base < 0 || s.bits > 61 || s.base > 61 || distance > 61)
        return status(status_code::invalid_argument, "a swizzle's B and M start at 0 and its bits end at bit 61");
    if (distance < s.bits)
        return status(status_code::invalid_argument, "a swizzle of ")
               << s.bits << " bits needs a shift of at least " << s.bits << ", and has " << s.shift
               << ": its source and target bits overlap";
    if (s.base + distance + s.bits > 62)
        return status(status_code::invalid_argument, "the swizzle reads or writes bit ")
               << s.base + distance + s.bits - 1 << "; offsets end at bit 61";
    return {};
}

/// The swizzle as a matrix over F2 (bits, added by XOR) on offsets of n bits. Column i is what bit i becomes.
///
/// Precondition: n is past the swizzle's highest bit, or the swizzle does not move offsets of n bits out of them.
constexpr f2::vectors to_matrix(const xor_swizzle& s, int n)
{
    f2::vectors columns;
    for (int i = 0; i < n; ++i)
        columns.push_back(static_cast<f2::word>(s(static_cast<long_index_t>(f2::unit(i)))));
    return columns;
}

/// The swizzle whose matrix this is; <0,0,0> for the identity.
///
/// Error: a column that no swizzle has.
constexpr outcome<xor_swizzle> to_swizzle(const f2::vectors& columns)
{
    xor_swizzle s;
    int first = -1;
    for (int i = 0; i < columns.size(); ++i) {
        const f2::word target = columns[i] ^ f2::unit(i);
        if (target == 0)
            continue;
        if (std::popcount(target) != 1)
            return obstacle("column ") << i << " of the matrix is not bit " << i
                                       << " and at most one other: no swizzle <B,M,S>";
        const int shift = i - std::countr_zero(target);
        if (first < 0) {
            first = i;
            s.shift = shift;
        }
        if (shift != s.shift || i != first + s.bits)
            return obstacle("column ") << i << " does not continue the swizzle that column " << first
                                       << " starts: <B,M,S> moves one run of bits by one distance";
        ++s.bits;
    }
    s.base = first < 0 ? 0 : s.shift > 0 ? first - s.shift : first;
    const status wrong = check(s);
    return wrong.ok() ? outcome<xor_swizzle>(s) : wrong;
}

/// A swizzle after a shape:stride layout plus an offset: c goes to twist(offset + layout(c)).
struct swizzled_layout
{
    xor_swizzle twist;
    long_index_t start = 0;
    strided_layout layout;
    friend constexpr bool operator==(const swizzled_layout&, const swizzled_layout&) = default;
};

constexpr long_index_t size(const swizzled_layout& l) { return size(l.layout); }

constexpr long_index_t offset(const swizzled_layout& l, long_index_t c)
{
    return l.twist(l.start + offset(l.layout, c));
}

constexpr swizzled_layout compose(const xor_swizzle& s, const strided_layout& l) { return {s, 0, l}; }

/// A swizzled layout as a linear layout from `index`, the coordinate c, to `offset`.
///
/// Errors: a length that is no power of two; strides that share bits, so that their sum is not their XOR; a start that is
/// not 0.
constexpr outcome<linear_layout> to_linear(const swizzled_layout& l)
{
    if (l.start != 0)
        return obstacle("the swizzled layout starts at ") << l.start << "; a linear layout takes 0 to 0";
    linear_layout result;
    result.inputs.push_back({"index", 0});
    f2::word used = 0, reached = 0;
    if (status wrong = detail::push_bases(result, l.layout, used); !wrong.ok())
        return wrong;
    for (f2::word& column : result.columns) {
        column = static_cast<f2::word>(l.twist(static_cast<long_index_t>(column)));
        reached |= column;
    }
    result.outputs.push_back({"offset", static_cast<int>(std::bit_width(reached))});
    const status wrong = check(result);
    return wrong.ok() ? outcome<linear_layout>(result) : wrong;
}

namespace detail {

/// l with the swizzle taken out, as a shape:stride layout if its bases add up.
constexpr outcome<strided_layout> without(const xor_swizzle& s, linear_layout l)
{
    for (f2::word& column : l.columns)
        column = static_cast<f2::word>(s(static_cast<long_index_t>(column)));
    return to_strided(l);
}

} // namespace detail

/// A linear layout as a swizzle after a shape:stride layout, which is coalesced. Inputs and outputs count as one flat
/// index each. Among the swizzles that fit it takes one with the fewest bits.
///
/// Error: no single swizzle <B,M,S> leaves strides that add up.
constexpr outcome<swizzled_layout> to_swizzled(const linear_layout& l)
{
    linear_layout flat = l;
    flat.inputs = {linear_dim{"index", input_bits(l)}};
    const int n = output_bits(l);
    for (int bits = 0; 2 * bits <= n; ++bits)
        for (int distance = bits; distance <= (bits == 0 ? 0 : n - bits); ++distance)
            for (int base = 0; base <= (bits == 0 ? 0 : n - bits - distance); ++base)
                for (int sign = 1; sign >= -1; sign -= 2) {
                    const xor_swizzle s{bits, base, sign * distance};
                    if (const outcome<strided_layout> plain = detail::without(s, flat); plain.ok())
                        return compose(s, coalesce(plain.value));
                }
    return obstacle("no swizzle <B,M,S> takes the XORs out of these ")
           << l.columns.size() << " bases; only a linear layout can state them";
}

template <text_sink Sink>
constexpr void write_text(Sink& sink, const xor_swizzle& s)
{
    text_out(sink) << "Sw<" << s.bits << ',' << s.base << ',' << s.shift << '>';
}

/// Sw<3,4,3> o 0 o (8,64):(64,1)
template <text_sink Sink>
constexpr void write_text(Sink& sink, const swizzled_layout& l)
{
    write_text(sink, l.twist);
    text_out(sink) << " o " << l.start << " o ";
    write_text(sink, l.layout);
}

/// Reads Sw<B,M,S> or S<B,M,S>.
constexpr outcome<xor_swizzle> parse_swizzle(text_reader& reader)
{
    if (!(reader.take("Sw<") || reader.take("S<")))
        return reader.error("a swizzle Sw<B,M,S>");
    long_index_t numbers[3] = {};
    bool negative = false;
    for (int i = 0; i < 3; ++i) {
        negative = i == 2 && reader.take('-');
        if (!reader.take_number(numbers[i]) || numbers[i] > 63)
            return reader.error("a whole number below 64");
        if (!reader.take(i < 2 ? ',' : '>'))
            return reader.error(i < 2 ? "\",\"" : "\">\"");
    }
    const int shift = static_cast<int>(numbers[2]);
    const xor_swizzle s{static_cast<int>(numbers[0]), static_cast<int>(numbers[1]), negative ? -shift : shift};
    const status wrong = check(s);
    return wrong.ok() ? outcome<xor_swizzle>(s) : wrong;
}
constexpr outcome<xor_swizzle> parse_swizzle(const char* text)
{
    text_reader reader(text);
    const outcome<xor_swizzle> s = parse_swizzle(reader);
    if (s.ok() && !reader.at_end())
        return reader.error("the end of the swizzle");
    return s;
}

/// Reads SWIZZLE o LAYOUT or SWIZZLE o START o LAYOUT.
constexpr outcome<swizzled_layout> parse_swizzled_layout(const char* text)
{
    text_reader reader(text);
    const outcome<xor_swizzle> s = parse_swizzle(reader);
    if (!s.ok())
        return s.error;
    if (!reader.take("o "))
        return reader.error("\"o\" and a layout");
    text_reader ahead = reader;
    long_index_t start = 0;
    if (ahead.take_number(start) && ahead.take("o "))
        reader = ahead;
    else
        start = 0;
    const outcome<strided_layout> l = parse_strided_layout(reader);
    if (!l.ok())
        return l.error;
    if (!reader.at_end())
        return reader.error("the end of the layout");
    if (start > INT64_MAX / 2 - cosize(l.value))
        return obstacle("start ") << start << " goes past 62 bits";
    return swizzled_layout{s.value, start, l.value};
}

} // namespace tegula
