#pragma once

/// Linear layouts over F2: linear maps between index spaces whose lengths are powers of two.
///
/// A layout maps one index for each input dimension (register, lane, wave, block) to one index for each output dimension (those
/// of the tensor). Each bit of an input index has a basis. The output is the XOR of the bases of all set bits. A basis of zero
/// is replication.

#include <tegula/core/f2.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/outcome.hpp>
#include <tegula/layout/encoding_value.hpp>

namespace tegula {

/// The name of a dimension: at most 15 letters, digits and underscores; longer ones are cut.
struct dim_name
{
    static constexpr int capacity = 16;

    char text[capacity]{};

    constexpr dim_name() = default;
    constexpr dim_name(const char* name)
    {
        for (int i = 0; i + 1 < capacity && name[i] != '\0'; ++i)
            text[i] = name[i];
    }
    constexpr const char* c_str() const { return text; }
    friend constexpr bool operator==(const dim_name&, const dim_name&) = default;
};

/// A dimension of 2^bits indices.
struct linear_dim
{
    dim_name name;
    int bits = 0;
    friend constexpr bool operator==(const linear_dim&, const linear_dim&) = default;
};

/// A linear layout as a value: a matrix over F2 with named groups of columns and rows.
///
/// Both flat spaces hold the dimension listed first in their lowest bits; column j of the matrix is the basis of flat
/// input bit j. For tensor dimensions x0, x1, ... a flat output is thus the column-major index of the element.
/// Invariants, which check() verifies: names differ within a side, the bits of a side are at most 62, there is a column
/// for each input bit, and no column has a bit past the outputs.
struct linear_layout
{
    static constexpr int max_dims = 9;
    static constexpr int max_bits = 62;
    using dims = static_vector<linear_dim, max_dims>;

    dims inputs;
    dims outputs;
    f2::vectors columns;

    friend constexpr bool operator==(const linear_layout&, const linear_layout&) = default;
};

/// One index for each dimension of a side.
using linear_indices = static_vector<long_index_t, linear_layout::max_dims>;

constexpr int total_bits(const linear_layout::dims& dims)
{
    int n = 0;
    for (const linear_dim& d : dims)
        n += d.bits;
    return n;
}
constexpr int input_bits(const linear_layout& l) { return total_bits(l.inputs); }
constexpr int output_bits(const linear_layout& l) { return total_bits(l.outputs); }

/// Position of a dimension in its list, -1 if there is none of that name.
constexpr int find_dim(const linear_layout::dims& dims, const dim_name& name)
{
    for (int i = 0; i < dims.size(); ++i)
        if (dims[i].name == name)
            return i;
    return -1;
}
/// Lowest flat bit of dimension i.
constexpr int first_bit(const linear_layout::dims& dims, int i)
{
    int n = 0;
    for (int k = 0; k < i; ++k)
        n += dims[k].bits;
    return n;
}

/// One index for each dimension as a flat number, and back.
constexpr f2::word flatten(const linear_layout::dims& dims, const linear_indices& index)
{
    f2::word flat = 0;
    for (int i = dims.size() - 1; i >= 0; --i)
        flat = flat << dims[i].bits | static_cast<f2::word>(index[i]);
    return flat;
}
constexpr linear_indices unflatten(const linear_layout::dims& dims, f2::word flat)
{
    linear_indices index;
    for (const linear_dim& d : dims) {
        index.push_back(static_cast<long_index_t>(flat & f2::low_bits(d.bits)));
        flat >>= d.bits;
    }
    return index;
}

/// The output indices for one index of each input dimension, each in [0, 2^bits).
constexpr linear_indices apply(const linear_layout& l, const linear_indices& index)
{
    return unflatten(l.outputs, f2::apply(l.columns, flatten(l.inputs, index)));
}

/// The basis of bit `bit` of input dimension `input`: one index for each output dimension.
constexpr linear_indices basis(const linear_layout& l, int input, int bit)
{
    return unflatten(l.outputs, l.columns[first_bit(l.inputs, input) + bit]);
}

/// Name of P dimension i of n in a linear layout: the last is the lane.
constexpr dim_name partition_name(int i, int n)
{
    constexpr const char* names[] = {"lane", "wave", "block", "cluster"};
    return names[n - 1 - i];
}

/// Name of tensor dimension i: x0, x1, ...
constexpr dim_name tensor_name(int i)
{
    dim_name name("x0");
    name.text[1] = static_cast<char>('0' + i);
    return name;
}

namespace detail {

/// Appends column j as "basis 3 of lane".
constexpr status& name_column(status& s, const linear_layout& l, int j)
{
    int i = 0;
    while (j >= first_bit(l.inputs, i) + l.inputs[i].bits)
        ++i;
    return s << "basis " << j - first_bit(l.inputs, i) << " of " << l.inputs[i].name.c_str();
}

constexpr status check_names(const linear_layout::dims& dims)
{
    for (int i = 0; i < dims.size(); ++i)
        if (find_dim(dims, dims[i].name) != i)
            return status(status_code::invalid_argument, "dimension ")
                   << dims[i].name.c_str() << " is listed twice; names on one side must differ";
    return {};
}

} // namespace detail

/// Whether the invariants hold.
constexpr status check(const linear_layout& l)
{
    if (l.inputs.overflowed() || l.outputs.overflowed() || l.columns.overflowed() ||
        input_bits(l) > linear_layout::max_bits || output_bits(l) > linear_layout::max_bits)
        return obstacle("a linear layout has at most ")
               << linear_layout::max_dims << " input and " << linear_layout::max_dims << " output dimensions and "
               << linear_layout::max_bits << " bits on each side; use a smaller layout";
    if (status wrong = detail::check_names(l.inputs); !wrong.ok())
        return wrong;
    if (status wrong = detail::check_names(l.outputs); !wrong.ok())
        return wrong;
    if (l.columns.size() != input_bits(l))
        return status(status_code::invalid_argument, "a linear layout of ")
               << input_bits(l) << " input bits needs as many bases, and has " << l.columns.size();
    for (int j = 0; j < l.columns.size(); ++j)
        if ((l.columns[j] & ~f2::low_bits(output_bits(l))) != 0)
            return status(status_code::invalid_argument, "basis ")
                   << j << " has a bit past the " << output_bits(l) << " bits of the outputs";
    return {};
}

/// Dimension of the image, in bits.
constexpr int rank(const linear_layout& l) { return f2::rank(l.columns); }

/// No two inputs share an output: nothing is replicated.
constexpr bool is_injective(const linear_layout& l) { return rank(l) == input_bits(l); }

/// Every output has an input.
constexpr bool is_surjective(const linear_layout& l) { return rank(l) == output_bits(l); }

constexpr bool is_invertible(const linear_layout& l) { return is_injective(l) && is_surjective(l); }

} // namespace tegula
