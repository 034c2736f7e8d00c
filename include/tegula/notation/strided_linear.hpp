#pragma once

/// Shape:stride layouts as linear layouts over F2, and back.
///
/// A thread-value layout has two modes, (threads, values), and takes them to the column-major index of a tile element:
/// x0 + length0 * (x1 + length1 * ...).

#include <tegula/notation/linear_layout.hpp>
#include <tegula/notation/strided_layout.hpp>

namespace tegula {

/// The lengths of a tile.
using tile_shape = static_vector<long_index_t, linear_layout::max_dims>;

namespace detail {

constexpr status require_thread_value(const strided_layout& l, const tile_shape& tile)
{
    long_index_t elements = tile.overflowed() ? 0 : 1;
    for (long_index_t length : tile)
        elements = length < 1 ? 0 : checked_product(elements, length);
    if (elements == 0)
        return obstacle("a tile has at most ")
               << tile.capacity() << " dimensions, whose lengths start at 1 and have a product below 2^63";
    if (num_modes(l) == 2)
        return check(l);
    return obstacle("the layout has ") << num_modes(l) << (num_modes(l) == 1 ? " mode" : " modes")
                                       << "; a thread-value layout has two, (threads,values):(strides,strides)";
}

/// Adds one basis for each bit of a layout's coordinate to the last input. `used` has the output bits of earlier bases.
constexpr status push_bases(linear_layout& l, const strided_layout& strided, f2::word& used)
{
    for (const strided_leaf& leaf : strided.leaves) {
        status s = obstacle("");
        if (!is_power_of_two(leaf.shape))
            return name_mode(s, leaf) << " has a length that is no power of two; a linear layout maps bits";
        for (int k = 0; k < log2_of(leaf.shape); ++k) {
            const f2::word column = static_cast<f2::word>(leaf.stride) << k;
            if ((column & used) != 0)
                return name_mode(s, leaf) << " adds up with others and carries; a linear layout XORs, which agrees "
                                             "only where no two bases share a bit";
            used |= column;
            l.columns.push_back(column);
            ++l.inputs.back().bits;
        }
    }
    return {};
}

} // namespace detail

/// A thread-value layout over a tile as a linear layout from register and lane (all threads) to x0, x1, ...
///
/// Errors: not two modes, a length that is no power of two, strides whose sums carry, or offsets past the tile.
constexpr outcome<linear_layout> to_linear(const strided_layout& l, const tile_shape& tile)
{
    if (status wrong = detail::require_thread_value(l, tile); !wrong.ok())
        return wrong;
    linear_layout result;
    for (int i = 0; i < tile.size(); ++i) {
        if (!is_power_of_two(tile[i]))
            return obstacle("length ") << tile[i] << " of dimension " << i
                                       << " is no power of two; a linear layout maps bits";
        result.outputs.push_back({tensor_name(i), log2_of(tile[i])});
    }
    if (cosize(l) - 1 > static_cast<long_index_t>(f2::low_bits(output_bits(result))))
        return obstacle("the layout reaches offset ") << cosize(l) - 1 << ", past the tile";
    f2::word used = 0;
    for (int side = 1; side >= 0; --side) {
        result.inputs.push_back({side == 1 ? "register" : "lane", 0});
        if (status wrong = detail::push_bases(result, mode(l, side), used); !wrong.ok())
            return wrong;
    }
    const status wrong = check(result);
    return wrong.ok() ? outcome<linear_layout>(result) : wrong;
}

/// A linear layout as a thread-value layout: values are the input named register, threads all others, the first listed
/// fastest. Offsets are flat outputs: column-major over the outputs as listed. Each mode is coalesced.
///
/// Error: two bases with a common bit, whose XOR is no sum.
constexpr outcome<strided_layout> to_strided(const linear_layout& l)
{
    for (int j = 0; j < l.columns.size(); ++j)
        for (int k = 0; k < j; ++k)
            if ((l.columns[j] & l.columns[k]) != 0) {
                status s = obstacle("");
                detail::name_column(s, l, k) << " and ";
                return detail::name_column(s, l, j)
                       << " share a bit: their XOR is no sum; strides add up, they cannot swizzle";
            }
    const int registers = find_dim(l.inputs, "register");
    strided_tuple threads, values;
    for (int i = 0; i < l.inputs.size(); ++i)
        for (int k = 0; k < l.inputs[i].bits; ++k)
            (i == registers ? values : threads)
                .add(2, static_cast<long_index_t>(l.columns[first_bit(l.inputs, i) + k]));
    const strided_layout result = join(coalesce(threads.compact()), coalesce(values.compact()));
    const status wrong = check(result);
    return wrong.ok() ? outcome<strided_layout>(result) : wrong;
}

} // namespace tegula
