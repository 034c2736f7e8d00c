#pragma once

/// R/H/P/Y encodings whose lengths are powers of two, and linear layouts whose bases are unit vectors: the same maps.

#include <tegula/layout/digit_table.hpp>
#include <tegula/notation/linear_layout.hpp>

#include <bit>

namespace tegula {

namespace detail {

/// Appends one column for each bit of digit d to the last input: the output bit that it moves, or 0 for replication.
constexpr void push_digit(linear_layout& l, const placed_digit& d)
{
    const int first = d.x_dim < 0 ? 0 : first_bit(l.outputs, d.x_dim) + log2_of(d.x_stride);
    for (int k = 0; k < log2_of(d.length); ++k) {
        l.columns.push_back(d.x_dim < 0 ? 0 : f2::unit(first + k));
        ++l.inputs.back().bits;
    }
}

} // namespace detail

/// A valid encoding as a linear layout: inputs register (Y flattened, last Y fastest), lane, wave, ... (the P
/// dimensions from the last to the first), outputs x0, x1, ...
///
/// Error: a length that is no power of two.
constexpr outcome<linear_layout> to_linear(const encoding_value& e)
{
    for (int major = 0; major <= e.num_x(); ++major)
        for (int minor = 0; minor < e.lengths(major).size(); ++minor)
            if (const index_t length = e.lengths(major)[minor]; !is_power_of_two(length)) {
                status s = obstacle(major == 0 ? "R length " : "H length ");
                s << length;
                if (major > 0)
                    s << " of dimension " << major - 1;
                return s << ", digit (" << major << "," << minor << "), is no power of two; a linear layout maps bits";
            }
    const digit_table t = make_digit_table(e);
    linear_layout l;
    for (int i = 0; i < e.num_x(); ++i)
        l.outputs.push_back({tensor_name(i), log2_of(x_length(e, i))});
    l.inputs.push_back({"register", 0});
    for (int i = e.num_y() - 1; i >= 0; --i)
        detail::push_digit(l, find_digit(t, e.ys[i]));
    for (int p = e.num_p() - 1; p >= 0; --p) {
        l.inputs.push_back({partition_name(p, e.num_p()), 0});
        for (int i = e.ps[p].size() - 1; i >= 0; --i)
            detail::push_digit(l, find_digit(t, e.ps[p][i]));
    }
    const status wrong = check(l);
    return wrong.ok() ? outcome<linear_layout>(l) : wrong;
}

namespace detail {

/// The reason why the bases are not those of an encoding.
constexpr status find_obstacle(const linear_layout& l, int registers)
{
    const int ps = l.inputs.size() - (registers >= 0);
    if (l.outputs.size() > encoding_value::max_x || ps > encoding_value::max_p)
        return obstacle("the layout has ")
               << l.outputs.size() << " outputs and " << ps << " inputs beside the register; R/H/P/Y has at most "
               << encoding_value::max_x << " and " << encoding_value::max_p;
    for (int j = 0; j < l.columns.size(); ++j) {
        status s = obstacle("");
        const bool in_register = registers >= 0 && j >= first_bit(l.inputs, registers) &&
                                 j < first_bit(l.inputs, registers) + l.inputs[registers].bits;
        if (std::popcount(l.columns[j]) > 1)
            return name_column(s, l, j) << " has " << std::popcount(l.columns[j])
                                        << " ones: an XOR; R/H/P/Y has unit bases only";
        if (l.columns[j] == 0 && in_register)
            return name_column(s, l, j) << " is zero: the register repeats another; R/H/P/Y replicates over P only";
        for (int k = 0; k < j; ++k)
            if (l.columns[j] != 0 && l.columns[j] == l.columns[k]) {
                name_column(s, l, k) << " and ";
                return name_column(s, l, j) << " are equal: their XOR is 0; in R/H/P/Y each bit of a tensor dimension "
                                               "has one owner";
            }
    }
    f2::word reached = 0;
    for (f2::word column : l.columns)
        reached |= column;
    for (int i = 0; i < l.outputs.size(); ++i)
        for (int b = 0; b < l.outputs[i].bits; ++b)
            if ((reached >> (first_bit(l.outputs, i) + b) & 1) == 0)
                return obstacle("bit ") << b << " of " << l.outputs[i].name.c_str()
                                        << " is in no basis: nobody holds the elements where it is set; R/H/P/Y holds "
                                           "every element";
    return {};
}

/// Whether column j goes on where column j - 1 of the same input ended: in the next bit of the same output, or both
/// zero. A digit ends after 30 bits, so that its length fits an index_t.
constexpr bool continues(const linear_layout& l, int input, int j)
{
    if ((j - first_bit(l.inputs, input)) % 30 == 0)
        return false;
    if (l.columns[j] == 0 || l.columns[j - 1] == 0)
        return l.columns[j] == l.columns[j - 1];
    if (l.columns[j] != l.columns[j - 1] << 1)
        return false;
    for (int i = 0; i < l.outputs.size(); ++i)
        if (std::countr_zero(l.columns[j]) == first_bit(l.outputs, i))
            return false;
    return true;
}

/// The flat output bits that are the lowest of a digit.
constexpr f2::word lowest_bits(const linear_layout& l)
{
    f2::word lowest = 0;
    for (int i = 0; i < l.inputs.size(); ++i)
        for (int j = first_bit(l.inputs, i); j < first_bit(l.inputs, i) + l.inputs[i].bits; ++j)
            if (!continues(l, i, j))
                lowest |= l.columns[j];
    return lowest;
}

/// The H digit whose lowest bit is flat output bit `bit`. Its minor is the number of digits above it in its
/// dimension.
constexpr rh_digit h_digit_at(const linear_layout& l, f2::word lowest, int bit)
{
    int output = 0, end = l.outputs[0].bits;
    while (bit >= end)
        end += l.outputs[++output].bits;
    return {output + 1, std::popcount(lowest & f2::low_bits(end) & ~f2::low_bits(bit + 1))};
}

/// The digits of input i, least significant first; R digits are added to e.
constexpr encoding_value::digits_type digits_of_input(const linear_layout& l, int input, f2::word lowest,
                                                      encoding_value& e)
{
    encoding_value::digits_type found;
    const int first = first_bit(l.inputs, input);
    for (int j = first; j < first + l.inputs[input].bits; ++j) {
        const bool starts = !continues(l, input, j);
        if (l.columns[j] != 0) {
            if (starts)
                found.push_back(h_digit_at(l, lowest, std::countr_zero(l.columns[j])));
            continue;
        }
        if (starts) {
            e.rs.push_back(1);
            found.push_back({0, e.rs.size() - 1});
        }
        if (!e.rs.overflowed())
            e.rs.back() *= 2;
    }
    return found;
}

/// H of output i: the runs of bits between the lowest bits of digits, most significant first.
constexpr encoding_value::lengths_type lengths_of_output(const linear_layout& l, int output, f2::word lowest)
{
    encoding_value::lengths_type h;
    index_t length = 1;
    const int first = first_bit(l.outputs, output);
    for (int bit = first + l.outputs[output].bits - 1; bit >= first; --bit) {
        length *= 2;
        if ((lowest >> bit & 1) != 0) {
            h.push_back(length);
            length = 1;
        }
    }
    return h;
}

} // namespace detail

/// A linear layout as an encoding in the fewest digits: the input named register becomes Y, the others P, the last
/// listed first. to_linear() of the result is the layout again, apart from names. Precondition: check(l).ok().
///
/// Errors: a basis that is an XOR, a register that repeats another, two equal bases, elements without an owner, or more
/// digits than an encoding has.
constexpr outcome<encoding_value> to_encoding(const linear_layout& l)
{
    const int registers = find_dim(l.inputs, "register");
    if (status s = detail::find_obstacle(l, registers); !s.ok())
        return s;
    const f2::word lowest = detail::lowest_bits(l);
    encoding_value e;
    for (int i = 0; i < l.outputs.size(); ++i)
        e.hs.push_back(detail::lengths_of_output(l, i, lowest));
    for (int i = l.inputs.size() - 1; i >= 0; --i) {
        const auto found = detail::digits_of_input(l, i, lowest, e);
        if (i != registers)
            e.ps.push_back({});
        for (int k = found.size() - 1; k >= 0; --k)
            if (i == registers)
                e.ys.push_back(found[k]);
            else
                e.ps.back().push_back(found[k]);
    }
    if (const violations wrong = validate(e); !wrong.empty())
        return explain(wrong[0]);
    return e;
}

} // namespace tegula
