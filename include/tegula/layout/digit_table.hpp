#pragma once

#include <tegula/layout/encoding_value.hpp>

namespace tegula {

/// One digit of a valid encoding with its place on both sides: x gains digit * x_stride, and the digit is
/// (p[p_dim] / p_stride) % length or y[y_dim].
struct placed_digit
{
    rh_digit name;
    index_t length = 1;
    int x_dim = -1; ///< -1 for replication
    long_index_t x_stride = 0;
    int p_dim = -1; ///< -1 when a Y owns it
    long_index_t p_stride = 0;
    int y_dim = -1; ///< -1 when a P owns it
};

/// A valid encoding flattened to one list of digits, R first, then X_0, X_1, ...: the form every map is computed from.
struct digit_table
{
    static constexpr int max_dims = encoding_value::max_y;

    static_vector<placed_digit, (encoding_value::max_x + 1) * encoding_value::max_minors> digits;
    int num_x = 0;
    int num_p = 0;
    int num_y = 0;
};

/// The digit table of `e`. Precondition: validate(e) is empty.
constexpr digit_table make_digit_table(const encoding_value& e)
{
    digit_table t;
    t.num_x = e.num_x();
    t.num_p = e.num_p();
    t.num_y = e.num_y();
    int first[encoding_value::max_x + 1] = {};
    for (int major = 0; major <= e.num_x(); ++major) {
        first[major] = t.digits.size();
        const auto& lengths = e.lengths(major);
        for (int minor = 0; minor < lengths.size(); ++minor) {
            placed_digit d;
            d.name = {major, minor};
            d.length = lengths[minor];
            d.x_dim = major - 1;
            t.digits.push_back(d);
        }
        long_index_t stride = 1;
        for (int minor = lengths.size() - 1; major > 0 && minor >= 0; --minor) {
            t.digits[first[major] + minor].x_stride = stride;
            stride *= lengths[minor];
        }
    }
    for (int p = 0; p < e.num_p(); ++p) {
        long_index_t stride = 1;
        for (int i = e.ps[p].size() - 1; i >= 0; --i) {
            placed_digit& d = t.digits[first[e.ps[p][i].major] + e.ps[p][i].minor];
            d.p_dim = p;
            d.p_stride = stride;
            stride *= d.length;
        }
    }
    for (int y = 0; y < e.num_y(); ++y)
        t.digits[first[e.ys[y].major] + e.ys[y].minor].y_dim = y;
    return t;
}

/// The digit called `name`. Precondition: the encoding has it.
constexpr const placed_digit& find_digit(const digit_table& t, rh_digit name)
{
    int i = 0;
    while (!(t.digits[i].name == name))
        ++i;
    return t.digits[i];
}

/// Indices at run time, one per dimension of X, P or Y.
using long_indices = static_vector<long_index_t, digit_table::max_dims>;

constexpr long_indices zeros(int n)
{
    long_indices v;
    for (int i = 0; i < n; ++i)
        v.push_back(0);
    return v;
}

/// Value of digit d in partition index p and register position y.
template <class P, class Y>
constexpr long_index_t digit_value(const placed_digit& d, const P& p, const Y& y)
{
    return d.p_dim >= 0 ? (p[d.p_dim] / d.p_stride) % d.length : y[d.y_dim];
}

/// Element (x...) of the tile held by partition index p in register position y.
template <class P, class Y>
constexpr long_indices calculate_index(const digit_table& t, const P& p, const Y& y)
{
    long_indices x = zeros(t.num_x);
    for (const placed_digit& d : t.digits)
        if (d.x_dim >= 0)
            x[d.x_dim] += digit_value(d, p, y) * d.x_stride;
    return x;
}

/// A partition index and a register position.
struct owner
{
    long_indices p;
    long_indices y;
};

/// The replica-th holder of element x, replica in [0, replication): the inverse of calculate_index.
template <class X>
constexpr owner find_owner(const digit_table& t, const X& x, long_index_t replica)
{
    owner o{zeros(t.num_p), zeros(t.num_y)};
    for (int i = t.digits.size() - 1; i >= 0; --i) {
        const placed_digit& d = t.digits[i];
        long_index_t value = 0;
        if (d.x_dim >= 0) {
            value = (x[d.x_dim] / d.x_stride) % d.length;
        } else {
            value = replica % d.length;
            replica /= d.length;
        }
        if (d.p_dim >= 0)
            o.p[d.p_dim] += value * d.p_stride;
        else
            o.y[d.y_dim] = value;
    }
    return o;
}

/// Whether partition index p is the one replica that writes: all its R digits are 0. Else an update such as C += A * B
/// could read what another replica has already written.
template <class P>
constexpr bool is_first_replica(const digit_table& t, const P& p)
{
    for (const placed_digit& d : t.digits)
        if (d.x_dim < 0 && p[d.p_dim] / d.p_stride % d.length != 0)
            return false;
    return true;
}

/// Splits a flat index into one index per dimension, last dimension fastest.
template <class Lengths>
constexpr long_indices unflatten(long_index_t flat, const Lengths& lengths, int n)
{
    long_indices index = zeros(n);
    for (int i = n - 1; i >= 0; --i) {
        index[i] = flat % lengths[i];
        flat /= lengths[i];
    }
    return index;
}

constexpr long_indices x_lengths(const encoding_value& e)
{
    long_indices v;
    for (int i = 0; i < e.num_x(); ++i)
        v.push_back(x_length(e, i));
    return v;
}

constexpr long_indices p_lengths(const encoding_value& e)
{
    long_indices v;
    for (int i = 0; i < e.num_p(); ++i)
        v.push_back(p_length(e, i));
    return v;
}

constexpr long_indices y_lengths(const encoding_value& e)
{
    long_indices v;
    for (int i = 0; i < e.num_y(); ++i)
        v.push_back(y_length(e, i));
    return v;
}

} // namespace tegula
