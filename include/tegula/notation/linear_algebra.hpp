#pragma once

/// The algebra of linear layouts: composition, direct product and its division, inverses.

#include <tegula/notation/linear_layout.hpp>

namespace tegula {

namespace detail {

constexpr outcome<linear_layout> checked(const linear_layout& l)
{
    const status wrong = check(l);
    return wrong.ok() ? outcome<linear_layout>(l) : wrong;
}

/// Moves the bits of each dimension of `from` to the dimension of that name of `to`. Fails if one is missing or has
/// fewer bits there.
constexpr outcome<f2::vectors> rename(const linear_layout::dims& from, const linear_layout::dims& to)
{
    f2::vectors bits;
    for (const linear_dim& d : from) {
        const int i = find_dim(to, d.name);
        if (i < 0)
            return obstacle("the other layout has no dimension ") << d.name.c_str() << "; rename one of them";
        if (to[i].bits < d.bits)
            return obstacle("dimension ") << d.name.c_str() << " has " << d.bits << " bits here and only " << to[i].bits
                                          << " there; the other layout must take every index";
        for (int b = 0; b < d.bits; ++b)
            bits.push_back(f2::unit(first_bit(to, i) + b));
    }
    return bits;
}

/// Dimensions of a, then those that only b has; the bits of common ones add up.
constexpr linear_layout::dims sum_of(linear_layout::dims a, const linear_layout::dims& b)
{
    for (const linear_dim& d : b)
        if (const int i = find_dim(a, d.name); i >= 0)
            a[i].bits += d.bits;
        else
            a.push_back(d);
    return a;
}

/// Bits of the dimension of that name, 0 if there is none.
constexpr int bits_of(const linear_layout::dims& dims, const dim_name& name)
{
    const int i = find_dim(dims, name);
    return i < 0 ? 0 : dims[i].bits;
}

/// A flat index of `part` inside `whole`, each dimension moved up by the bits it has in `below`.
constexpr f2::word lift(f2::word flat, const linear_layout::dims& part, const linear_layout::dims& whole,
                        const linear_layout::dims& below)
{
    f2::word lifted = 0;
    for (int i = 0; i < part.size(); ++i) {
        const f2::word index = flat >> first_bit(part, i) & f2::low_bits(part[i].bits);
        const int at = first_bit(whole, find_dim(whole, part[i].name)) + bits_of(below, part[i].name);
        lifted |= index == 0 ? 0 : index << at;
    }
    return lifted;
}

/// The part of `whole` from some bits of each input dimension to some bits of each output dimension: as many bits as
/// `inputs` and `outputs` have, above those of `skip`.
constexpr linear_layout part_of(const linear_layout& whole, const linear_layout::dims& inputs,
                                const linear_layout::dims& outputs, const linear_layout& skip)
{
    linear_layout part{inputs, outputs, {}};
    for (const linear_dim& d : inputs)
        for (int k = 0; k < d.bits; ++k) {
            const int in = first_bit(whole.inputs, find_dim(whole.inputs, d.name)) + bits_of(skip.inputs, d.name);
            f2::word column = 0;
            for (int i = 0; i < outputs.size(); ++i) {
                const dim_name& name = outputs[i].name;
                const int at = first_bit(whole.outputs, find_dim(whole.outputs, name)) + bits_of(skip.outputs, name);
                const f2::word index = whole.columns[in + k] >> at & f2::low_bits(outputs[i].bits);
                column |= index == 0 ? 0 : index << first_bit(outputs, i);
            }
            part.columns.push_back(column);
        }
    return part;
}

/// The dimensions of `whole` with the bits of `part` taken away. Fails if part has more.
constexpr outcome<linear_layout::dims> difference(linear_layout::dims whole, const linear_layout::dims& part)
{
    for (const linear_dim& d : part) {
        const int i = find_dim(whole, d.name);
        const int has = i < 0 ? 0 : whole[i].bits;
        if (has < d.bits)
            return obstacle("the divisor has ")
                   << d.bits << " bits of " << d.name.c_str() << " and the dividend only " << has;
        if (i >= 0)
            whole[i].bits -= d.bits;
    }
    return whole;
}

} // namespace detail

/// outer after inner: apply(compose(outer, inner), x) = apply(outer, apply(inner, x)). The outputs of `inner` meet the
/// inputs of `outer` by name; an input of `outer` that inner lacks is 0.
///
/// Error: an output of inner that outer does not take, or not in full.
constexpr outcome<linear_layout> compose(const linear_layout& outer, const linear_layout& inner)
{
    const outcome<f2::vectors> bits = detail::rename(inner.outputs, outer.inputs);
    if (!bits.ok())
        return bits.error;
    return linear_layout{inner.inputs, outer.outputs,
                         f2::product(outer.columns, f2::product(bits.value, inner.columns))};
}

/// The direct sum of matrices: a, repeated in the pattern of b. On both sides an index of a common dimension holds a's
/// bits below b's.
///
/// Error: more bits or dimensions than a linear layout has.
constexpr outcome<linear_layout> product(const linear_layout& a, const linear_layout& b)
{
    linear_layout c{detail::sum_of(a.inputs, b.inputs), detail::sum_of(a.outputs, b.outputs), {}};
    if (c.inputs.overflowed() || c.outputs.overflowed() || input_bits(c) > linear_layout::max_bits ||
        output_bits(c) > linear_layout::max_bits)
        return check(c);
    for (int i = 0; i < c.inputs.size(); ++i) {
        const dim_name& name = c.inputs[i].name;
        const int in_a = find_dim(a.inputs, name), in_b = find_dim(b.inputs, name);
        for (int k = 0; in_a >= 0 && k < a.inputs[in_a].bits; ++k)
            c.columns.push_back(
                detail::lift(a.columns[first_bit(a.inputs, in_a) + k], a.outputs, c.outputs, linear_layout::dims{}));
        for (int k = 0; in_b >= 0 && k < b.inputs[in_b].bits; ++k)
            c.columns.push_back(
                detail::lift(b.columns[first_bit(b.inputs, in_b) + k], b.outputs, c.outputs, a.outputs));
    }
    return c;
}

namespace detail {

/// The other factor of c than `divisor`, which has the lowest bits (on_left) or the highest.
constexpr outcome<linear_layout> divide(const linear_layout& c, const linear_layout& divisor, bool on_left)
{
    const outcome<linear_layout::dims> inputs = difference(c.inputs, divisor.inputs);
    const outcome<linear_layout::dims> outputs = difference(c.outputs, divisor.outputs);
    if (!inputs.ok() || !outputs.ok())
        return inputs.ok() ? outputs.error : inputs.error;
    const linear_layout nothing;
    const linear_layout factor = part_of(c, inputs.value, outputs.value, on_left ? divisor : nothing);
    const outcome<linear_layout> back = on_left ? product(divisor, factor) : product(factor, divisor);
    if (back.ok() && part_of(back.value, c.inputs, c.outputs, nothing) == c)
        return factor;
    return obstacle("the layout is no product with the divisor on its ")
           << (on_left ? "left: its lowest" : "right: its highest")
           << " bases are not the divisor's, or share output bits with the rest";
}

} // namespace detail

/// The b with product(a, b) = c, up to the order of dimensions and dimensions without bits. Dimensions of c that a
/// fills stay in b, with 0 bits.
///
/// Error: c has fewer bits than a in a dimension, or is no such product.
constexpr outcome<linear_layout> divide_left(const linear_layout& c, const linear_layout& a)
{
    return detail::divide(c, a, true);
}

/// The a with product(a, b) = c, likewise: c repeats a in the pattern b. Errors as above.
constexpr outcome<linear_layout> divide_right(const linear_layout& c, const linear_layout& b)
{
    return detail::divide(c, b, false);
}

/// The map `l` with its dimensions listed in the order of `inputs` and `outputs`.
///
/// Error: they are not the layout's own dimensions.
constexpr outcome<linear_layout> arrange(const linear_layout& l, const linear_layout::dims& inputs,
                                         const linear_layout::dims& outputs)
{
    const outcome<f2::vectors> bits[] = {detail::rename(l.inputs, inputs), detail::rename(inputs, l.inputs),
                                         detail::rename(l.outputs, outputs), detail::rename(outputs, l.outputs)};
    for (const outcome<f2::vectors>& side : bits)
        if (!side.ok())
            return side.error;
    return detail::part_of(l, inputs, outputs, {});
}

/// The layout from outputs to inputs that undoes `l`.
///
/// Error: some output has no input, or two.
constexpr outcome<linear_layout> inverse(const linear_layout& l)
{
    if (!is_surjective(l))
        return obstacle("the layout reaches 2^")
               << rank(l) << " of 2^" << output_bits(l) << " outputs; only its pseudo-inverse exists";
    if (!is_injective(l))
        return obstacle("the layout takes 2^")
               << input_bits(l) - rank(l) << " inputs to each output; only its pseudo-inverse exists";
    return linear_layout{l.outputs, l.inputs, f2::inverse(l.columns)};
}

/// The layout p from outputs to inputs with apply(l, apply(p, y)) = y for every y that l reaches. If y has several
/// inputs, p takes the one of least flat index. For other y all that is specified is that p is linear.
constexpr linear_layout pseudo_inverse(const linear_layout& l)
{
    return {l.outputs, l.inputs, f2::pseudo_inverse(l.columns, output_bits(l))};
}

/// Where `to` keeps what `from` has: the layout g with apply(to, apply(g, x)) = apply(from, x), of least flat index in
/// `to` if it is replicated there. Outputs meet by name.
///
/// Error: `to` lacks an output of `from` or does not reach all that from reaches.
constexpr outcome<linear_layout> invert_and_compose(const linear_layout& from, const linear_layout& to)
{
    const outcome<linear_layout> g = compose(pseudo_inverse(to), from);
    if (!g.ok())
        return g;
    const f2::vectors wanted = f2::product(detail::rename(from.outputs, to.outputs).value, from.columns);
    if (f2::product(to.columns, g.value.columns) == wanted)
        return g;
    return obstacle("the second layout does not hold every element of the first; both must cover the same elements");
}

} // namespace tegula
