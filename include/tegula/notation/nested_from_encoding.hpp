#pragma once

#include <tegula/notation/nested_operations.hpp>

namespace tegula {

namespace detail {

/// A digit of a tensor dimension while an encoding is read as a nested layout.
struct read_digit
{
    int dim = 0;
    index_t length = 1;
    int p_dim = -1;          ///< -1: registers own it
    long_index_t stride = 0; ///< in the partition index
    int first_y = 0;         ///< its places in register order, unit lengths not counted
    int last_y = 0;
    int level = -1; ///< a nested_level, once it is known

    constexpr bool of_registers() const { return p_dim < 0; }
    /// Whether this digit and the next faster one of its dimension count as one.
    constexpr bool merges_with(const read_digit& next) const
    {
        if (of_registers())
            return next.of_registers() && last_y + 1 == next.first_y;
        return p_dim == next.p_dim && stride == next.stride * next.length;
    }
};

/// The digits of all dimensions longer than 1, row-major, slowest first; those that count as one are merged.
using read_digits = static_vector<read_digit, encoding_value::max_x * encoding_value::max_minors>;

constexpr read_digits read_encoding_digits(const encoding_value& e)
{
    int place[encoding_value::max_y] = {};
    for (int y = 0, n = 0; y < e.num_y(); ++y)
        place[y] = y_length(e, y) > 1 ? n++ : n;
    read_digits all;
    for (const placed_digit& d : make_digit_table(e).digits) {
        if (d.x_dim < 0 || d.length == 1)
            continue;
        const int y = d.y_dim < 0 ? 0 : place[d.y_dim];
        const read_digit next{d.x_dim, d.length, d.p_dim, d.p_stride, y, y};
        if (!all.empty() && all.back().dim == next.dim && all.back().merges_with(next)) {
            all.back().length *= next.length;
            all.back().stride = next.stride;
            all.back().last_y = next.last_y;
        } else {
            all.push_back(next);
        }
    }
    return all;
}

/// Sets the levels of lane digits. False if a dimension's subgroup tile is not its slowest, or it has two thread tiles.
constexpr bool find_lane_levels(read_digits& all, int num_p, index_t subgroup_size)
{
    for (int i = 0; i < all.size(); ++i) {
        read_digit& d = all[i];
        if (d.of_registers())
            continue;
        const bool is_slowest = i == 0 || all[i - 1].dim != d.dim;
        const bool is_subgroup = num_p == 2 ? d.p_dim == 0 : is_slowest && d.stride % subgroup_size == 0;
        d.level = is_subgroup ? subgroup_level : thread_level;
        if (is_subgroup && num_p == 1)
            d.stride /= subgroup_size;
        if (is_subgroup && !is_slowest)
            return false;
        for (int k = i - 1; !is_subgroup && k >= 0 && all[k].dim == d.dim; --k)
            if (all[k].level == thread_level)
                return false;
    }
    return true;
}

/// The least level that register digit i may have: after `level` of dimension `dim` in register order, below the
/// slower digits of its own dimension, on its own side of the thread tile; or -1.
constexpr int find_register_level(const read_digits& all, int i, int level, int dim)
{
    int least = level + (all[i].dim <= dim ? 1 : 0), most = element_level;
    for (int k = 0; k < all.size(); ++k) {
        if (all[k].dim != all[i].dim || k == i)
            continue;
        if (k < i && all[k].level < 0)
            return -1; // registers run from fast to slow here
        if (k < i && all[k].level >= least)
            least = all[k].level + 1;
        if (k > i && all[k].level == thread_level)
            most = outer_level;
    }
    least += least == thread_level;
    return least <= most ? least : -1;
}

constexpr bool find_register_levels(read_digits& all, int registers)
{
    int level = batch_level, dim = -1;
    for (int y = 0; y < registers; ++y)
        for (int i = 0; i < all.size(); ++i)
            if (all[i].of_registers() && all[i].first_y == y) {
                level = find_register_level(all, i, level, dim);
                if (level < 0)
                    return false;
                dim = all[i].dim;
                all[i].level = level;
            }
    return true;
}

} // namespace detail

/// The nested layout of an encoding over {subgroup, lane} or {thread}, if it has that form. Each dimension then has at
/// most one subgroup, batch, outer, thread and element digit, in this order. Registers run over the batch digits, then
/// outer, then element. Precondition: validate(e) is empty.
constexpr nested_result to_nested(const encoding_value& e, index_t subgroup_size)
{
    status s(status_code::unsupported, "");
    if (e.num_p() < 1 || e.num_p() > 2)
        return {s << "the encoding has " << e.num_p()
                  << " partition dimensions; a nested layout has {subgroup, lane} or "
                  << "{thread}"};
    if (e.num_p() == 2 ? p_length(e, 1) != subgroup_size : p_length(e, 0) % subgroup_size != 0)
        return {s << "the encoding spans " << p_length(e, e.num_p() - 1) << " lanes, which are no whole subgroups of "
                  << subgroup_size};
    detail::read_digits all = detail::read_encoding_digits(e);
    if (!detail::find_lane_levels(all, e.num_p(), subgroup_size))
        return {s << "a dimension has lane digits in an order or a number that no subgroup_tile and thread_tile give"};
    if (!detail::find_register_levels(all, e.num_y()))
        return {s << "registers run in an order that batch, outer and element tiles do not give"};
    nested_result result{{}, detail::unit_nested(e.num_x())};
    for (const detail::read_digit& d : all) {
        result.value.tile(d.level)[d.dim] = d.length;
        if (!d.of_registers())
            result.value.strides(d.level)[d.dim] = static_cast<index_t>(d.stride);
    }
    return result;
}

} // namespace tegula
