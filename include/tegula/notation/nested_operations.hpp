#pragma once

#include <tegula/core/math.hpp>
#include <tegula/layout/encoding_algebra.hpp>
#include <tegula/notation/nested.hpp>

namespace tegula {

/// A nested layout, or the sentence that says why there is none.
struct nested_result
{
    status why{};
    nested_value value{};
    constexpr explicit operator bool() const { return why.ok(); }
};

/// Lengths of the whole tile, one per tensor dimension, in elements.
constexpr long_indices undistributed_shape(const nested_value& v)
{
    long_indices shape;
    for (int i = 0; i < v.rank(); ++i) {
        long_index_t n = 1;
        for (int level = 0; level < nested_value::num_levels; ++level)
            n *= v.tile(level)[i];
        shape.push_back(n);
    }
    return shape;
}

/// Lengths of one level after the other: subgroup of every dimension, batch, outer, thread, element.
using packed_lengths = static_vector<index_t, nested_value::num_levels * encoding_value::max_x>;

constexpr packed_lengths undistributed_packed_shape(const nested_value& v)
{
    packed_lengths shape;
    for (int level = 0; level < nested_value::num_levels; ++level)
        for (index_t length : v.tile(level))
            shape.push_back(length);
    return shape;
}

/// Lengths of what one thread holds, in register order: batch of every dimension, outer, element.
constexpr packed_lengths distributed_shape(const nested_value& v)
{
    packed_lengths shape;
    constexpr int register_levels[] = {batch_level, outer_level, element_level};
    for (int level : register_levels)
        for (index_t length : v.tile(level))
            shape.push_back(length);
    return shape;
}

/// Lengths of what one thread holds, one per tensor dimension.
constexpr long_indices distributed_unpacked_shape(const nested_value& v)
{
    long_indices shape;
    for (int i = 0; i < v.rank(); ++i)
        shape.push_back(static_cast<long_index_t>(v.batch_tile[i]) * v.outer_tile[i] * v.element_tile[i]);
    return shape;
}

namespace detail {

/// Appends dimension `dim` of `from` to `to`.
constexpr void append_dim(nested_value& to, const nested_value& from, int dim)
{
    for (int level = 0; level < nested_value::num_levels; ++level)
        to.tile(level).push_back(from.tile(level)[dim]);
    to.subgroup_strides.push_back(from.subgroup_strides[dim]);
    to.thread_strides.push_back(from.thread_strides[dim]);
}

constexpr bool same_dim(const nested_value& a, int i, const nested_value& b, int k)
{
    bool same = a.subgroup_strides[i] == b.subgroup_strides[k] && a.thread_strides[i] == b.thread_strides[k];
    for (int level = 0; level < nested_value::num_levels; ++level)
        same = same && a.tile(level)[i] == b.tile(level)[k];
    return same;
}

} // namespace detail

/// The transposed tile: dimension i of the result is dimension order[i]. Every thread holds the elements it held, in
/// registers reordered. Precondition: order names each dimension once.
template <class Order>
constexpr nested_value permute(const nested_value& v, const Order& order)
{
    nested_value result;
    for (int i = 0; i < v.rank(); ++i)
        detail::append_dim(result, v, order[i]);
    return result;
}

/// The layout without the dimensions `dropped`: threads that differed only there hold the same elements.
constexpr nested_value project(const nested_value& v, dim_set dropped)
{
    nested_value result;
    for (int i = 0; i < v.rank(); ++i)
        if (!dropped.contains(i))
            detail::append_dim(result, v, i);
    return result;
}

namespace detail {

/// A level of a dimension, longer than 1.
struct nested_factor
{
    int level = 0;
    index_t length = 1;
    index_t stride = 0; ///< of a subgroup or thread tile
    constexpr bool is_distributed() const { return level == subgroup_level || level == thread_level; }
};

/// The factors of all dimensions in row-major order, slowest first.
using nested_factors = static_vector<nested_factor, nested_value::num_levels * encoding_value::max_x>;

constexpr nested_factors make_factors(const nested_value& v)
{
    nested_factors all;
    for (int i = 0; i < v.rank(); ++i)
        for (int level = 0; level < nested_value::num_levels; ++level)
            if (const index_t length = v.tile(level)[i]; length > 1) {
                nested_factor f{level, length};
                if (f.is_distributed())
                    f.stride = v.strides(level)[i];
                all.push_back(f);
            }
    return all;
}

constexpr const char* level_name(int level)
{
    constexpr const char* names[] = {"subgroup", "batch", "outer", "thread", "element"};
    return names[level];
}

/// One dimension that is put together from its fastest factor up.
struct nested_dim
{
    index_t tile[nested_value::num_levels] = {1, 1, 1, 1, 1};
    index_t strides[nested_value::num_levels] = {};
    int slowest = nested_value::num_levels; ///< level of the last factor added

    /// False if the factor has no place above those that are there.
    constexpr bool add(const nested_factor& f)
    {
        if (f.level > slowest)
            return false;
        if (f.level == slowest && f.is_distributed() && f.stride != strides[f.level] * tile[f.level])
            return false;
        if (f.level != slowest)
            strides[f.level] = f.stride;
        tile[f.level] *= f.length;
        slowest = f.level;
        return true;
    }
};

constexpr void set_dim(nested_value& v, int dim, const nested_dim& d)
{
    for (int level = 0; level < nested_value::num_levels; ++level)
        v.tile(level)[dim] = d.tile[level];
    v.subgroup_strides[dim] = d.strides[subgroup_level];
    v.thread_strides[dim] = d.strides[thread_level];
}

constexpr nested_value unit_nested(int rank)
{
    nested_value v;
    for (int i = 0; i < rank; ++i) {
        for (int level = 0; level < nested_value::num_levels; ++level)
            v.tile(level).push_back(1);
        v.subgroup_strides.push_back(0);
        v.thread_strides.push_back(0);
    }
    return v;
}

} // namespace detail

/// The tile in another shape: elements keep their row-major numbers, and every thread holds what it held, in the same
/// registers. Each factor is cut at the greatest common divisor of its length and the length that a new dimension still
/// needs. Errors: a length that divides neither way, two digits that one dimension cannot hold side by side, or another
/// number of elements.
template <class Shape>
constexpr nested_result reshape(const nested_value& v, const Shape& shape)
{
    long_index_t from = 1, to = 1;
    for (long_index_t n : undistributed_shape(v))
        from *= n;
    for (int i = 0; i < shape.size(); ++i)
        to = shape[i] < 1 ? 0 : internal::checked_product(to, shape[i]);
    status s(status_code::invalid_argument, "");
    if (from != to || shape.size() > encoding_value::max_x)
        return {s << "a tile of " << from << " elements cannot take the new shape, which has " << to << " in "
                  << shape.size() << " dimensions; keep the number of elements and at most " << encoding_value::max_x
                  << " dimensions"};
    auto factors = detail::make_factors(v);
    nested_result result{{}, detail::unit_nested(shape.size())};
    for (int dim = shape.size() - 1; dim >= 0; --dim) {
        detail::nested_dim built;
        for (index_t need = static_cast<index_t>(shape[dim]); need > 1;) {
            detail::nested_factor& fastest = factors.back();
            const index_t part = gcd(fastest.length, need);
            if (part == 1)
                return {s << "dimension " << dim << " of the new shape still needs " << need << " but the next "
                          << detail::level_name(fastest.level) << " tile is " << fastest.length
                          << "; the shape must cut the tiles where they divide"};
            if (!built.add({fastest.level, part, fastest.stride}))
                return {s << "dimension " << dim << " of the new shape would hold a "
                          << detail::level_name(fastest.level) << " tile above a " << detail::level_name(built.slowest)
                          << " tile it cannot merge with; choose a shape that keeps their dimensions apart"};
            need /= part;
            fastest.length /= part;
            fastest.stride *= part;
            if (fastest.length == 1)
                --factors.count;
        }
        detail::set_dim(result.value, dim, built);
    }
    return result;
}

/// An operand of an operation on an iteration space: its layout, and which iterator each of its dimensions is.
struct nested_operand
{
    nested_value layout;
    nested_value::lengths_type iterators;
};

/// The layout of a result whose dimension i is iterator `iterators[i]`, from the layouts of the operands: each iterator
/// keeps the tiles its operands give it. Error: two operands disagree, or none has the iterator.
template <class Operands>
constexpr nested_result recombine(const Operands& operands, const nested_value::lengths_type& iterators)
{
    status s(status_code::invalid_argument, "");
    nested_result result;
    for (index_t iterator : iterators) {
        bool found = false;
        for (int o = 0; o < operands.size(); ++o)
            for (int i = 0; i < operands[o].layout.rank(); ++i) {
                if (operands[o].iterators[i] != iterator)
                    continue;
                const int last = result.value.rank() - 1;
                if (!found)
                    detail::append_dim(result.value, operands[o].layout, i);
                else if (!detail::same_dim(result.value, last, operands[o].layout, i))
                    return {s << "operand " << o << " tiles iterator " << iterator
                              << " otherwise than an operand before it; give it the same tiles and strides in both"};
                found = true;
            }
        if (!found)
            return {s << "no operand has iterator " << iterator << "; a result can have only the operands' iterators"};
    }
    return result;
}

} // namespace tegula
