#pragma once

#include <tegula/layout/digit_table.hpp>

namespace tegula {

/// The levels of a nested layout, slowest first.
enum nested_level { subgroup_level, batch_level, outer_level, thread_level, element_level };

/// A nested layout as a value: a tile split five times in every tensor dimension, and where the subgroup and the thread
/// digit of each dimension sit in the thread id.
///
/// In dimension i, with `tid` the linear id of a thread in its workgroup and L lanes a subgroup,
///
///     vs[i] = tid / (subgroup_strides[i] * L) % subgroup_tile[i]
///     vt[i] = tid / thread_strides[i] % thread_tile[i]
///     x[i]  = (((vs * batch + b) * outer + o) * thread + vt) * element + e
///
/// and a stride of 0 gives digit 0. Registers run over batch of every dimension, then outer, then element, row-major.
/// The semantics are those of IREE's nested layout attribute; if its description leaves elements without an owner,
/// this is an error here.
///
/// The value may be invalid (it can come from a file): every function except validate() expects a valid one.
struct nested_value
{
    using lengths_type = static_vector<index_t, encoding_value::max_x>;

    lengths_type subgroup_tile;
    lengths_type batch_tile;
    lengths_type outer_tile;
    lengths_type thread_tile;
    lengths_type element_tile;
    lengths_type subgroup_strides; ///< in subgroups
    lengths_type thread_strides;   ///< in threads

    static constexpr int num_levels = 5;

    constexpr int rank() const { return subgroup_tile.size(); }
    /// The tiles of a nested_level.
    constexpr const lengths_type& tile(int level) const
    {
        const lengths_type* all[] = {&subgroup_tile, &batch_tile, &outer_tile, &thread_tile, &element_tile};
        return *all[level];
    }
    constexpr lengths_type& tile(int level)
    {
        return const_cast<lengths_type&>(static_cast<const nested_value&>(*this).tile(level));
    }

    /// The strides of subgroup_level or of thread_level.
    constexpr const lengths_type& strides(int level) const
    {
        return level == subgroup_level ? subgroup_strides : thread_strides;
    }
    constexpr lengths_type& strides(int level) { return level == subgroup_level ? subgroup_strides : thread_strides; }

    friend constexpr bool operator==(const nested_value&, const nested_value&) = default;
};

/// The threads a nested layout is spread over.
struct workgroup_shape
{
    index_t subgroup_size = 64; ///< lanes of a subgroup (wave, warp)
    index_t subgroups = 1;
};

/// The rules that a nested layout can break.
enum class nested_rule {
    same_rank,             ///< the seven arrays differ in length
    tile_is_positive,      ///< a tile below 1
    stride_not_negative,   ///< a stride below 0
    workgroup_is_positive, ///< no lanes or no subgroups
    tile_has_a_stride,     ///< a tile above 1 with stride 0: elements without an owner
    digits_stand_apart,    ///< a stride that is no multiple of what the digits below it span
    digits_fit_workgroup,  ///< the digits span more threads than there are, or do not divide them
    size_fits_encoding,    ///< more elements or digits than an encoding keeps
};

struct nested_violation
{
    nested_rule rule = nested_rule::same_rank;
    int level = 0; ///< subgroup_level or thread_level
    int dim = 0;   ///< tensor dimension
    long_index_t value = 0;
    long_index_t limit = 0;
};

using nested_violations = static_vector<nested_violation, 32>;

namespace detail {

/// One digit of a partition index: `length` values, one every `stride` threads (or subgroups).
struct nested_digit
{
    long_index_t stride = 0;
    index_t length = 1;
    int level = 0;
    int dim = 0;
};

using nested_digits = static_vector<nested_digit, 2 * encoding_value::max_x>;

constexpr void insert_by_stride(nested_digits& sorted, const nested_digit& d)
{
    sorted.push_back(d);
    for (int i = sorted.size() - 1; i > 0; --i) {
        const nested_digit moved = sorted[i - 1];
        if (moved.stride <= sorted[i].stride)
            break;
        sorted[i - 1] = sorted[i];
        sorted[i] = moved;
    }
}

/// Adds the digits of one level, least stride first; strides times `unit`. A tile of 1 adds none, whatever its stride.
constexpr void append_digits(nested_digits& sorted, const nested_value& v, int level, long_index_t unit)
{
    const auto& strides = v.strides(level);
    for (int i = 0; i < v.rank(); ++i)
        if (v.tile(level)[i] > 1)
            insert_by_stride(sorted, {strides[i] * unit, v.tile(level)[i], level, i});
}

/// Whether the thread digits reach into the subgroup's part of the thread id.
constexpr bool reaches_past_subgroup(const nested_value& v, const workgroup_shape& w)
{
    for (int i = 0; i < v.rank(); ++i)
        if (v.thread_tile[i] > 1 && static_cast<long_index_t>(v.thread_strides[i]) * v.thread_tile[i] > w.subgroup_size)
            return true;
    return false;
}

/// The partition dimensions of a nested layout: {subgroup, lane}, or {thread} if the thread digits reach past a
/// subgroup.
struct nested_partition
{
    int num_p = 2;
    nested_digits digits[2]; ///< least stride first
    long_index_t lengths[2] = {};
};

constexpr nested_partition make_partition(const nested_value& v, const workgroup_shape& w)
{
    nested_partition p;
    if (reaches_past_subgroup(v, w)) {
        p.num_p = 1;
        p.lengths[0] = static_cast<long_index_t>(w.subgroups) * w.subgroup_size;
        append_digits(p.digits[0], v, thread_level, 1);
        append_digits(p.digits[0], v, subgroup_level, w.subgroup_size);
        return p;
    }
    p.lengths[0] = w.subgroups;
    p.lengths[1] = w.subgroup_size;
    append_digits(p.digits[0], v, subgroup_level, 1);
    append_digits(p.digits[1], v, thread_level, 1);
    return p;
}

constexpr void check_partition(const nested_digits& digits, long_index_t threads, nested_violations& found)
{
    nested_digit last{1, 1};
    for (const nested_digit& d : digits) {
        const long_index_t span = last.stride * last.length;
        if (d.stride % span != 0) {
            found.push_back({nested_rule::digits_stand_apart, d.level, d.dim, d.stride, span});
            return;
        }
        last = d;
    }
    if (threads % (last.stride * last.length) != 0)
        found.push_back({nested_rule::digits_fit_workgroup, last.level, last.dim, last.stride * last.length, threads});
}

constexpr bool same_ranks(const nested_value& v)
{
    bool same = v.subgroup_strides.size() == v.rank() && v.thread_strides.size() == v.rank();
    for (int level = 0; level < nested_value::num_levels; ++level)
        same = same && v.tile(level).size() == v.rank() && !v.tile(level).overflowed();
    return same;
}

constexpr void check_lengths(const nested_value& v, nested_violations& found)
{
    for (int level = 0; level < nested_value::num_levels; ++level)
        for (int i = 0; i < v.rank(); ++i)
            if (v.tile(level)[i] < 1)
                found.push_back({nested_rule::tile_is_positive, level, i, v.tile(level)[i]});
    for (int level = subgroup_level; level <= thread_level; level += thread_level - subgroup_level)
        for (int i = 0; i < v.rank(); ++i) {
            const index_t stride = v.strides(level)[i];
            if (stride < 0)
                found.push_back({nested_rule::stride_not_negative, level, i, stride});
            if (stride == 0 && v.tile(level)[i] > 1)
                found.push_back({nested_rule::tile_has_a_stride, level, i, v.tile(level)[i]});
        }
}

} // namespace detail

/// Every rule that a nested layout breaks over this workgroup; empty when it is valid.
constexpr nested_violations validate(const nested_value& v, const workgroup_shape& w)
{
    nested_violations found;
    if (!detail::same_ranks(v)) {
        found.push_back({nested_rule::same_rank});
        return found;
    }
    if (w.subgroup_size < 1 || w.subgroups < 1)
        found.push_back({nested_rule::workgroup_is_positive, 0, 0, w.subgroup_size, w.subgroups});
    detail::check_lengths(v, found);
    if (!found.empty())
        return found;
    const auto partition = detail::make_partition(v, w);
    for (int p = 0; p < partition.num_p; ++p)
        detail::check_partition(partition.digits[p], partition.lengths[p], found);
    long_index_t total = static_cast<long_index_t>(w.subgroup_size) * w.subgroups;
    for (int level = 0; level < nested_value::num_levels; ++level)
        for (index_t length : v.tile(level))
            total = internal::checked_product(total, length);
    if (total == 0)
        found.push_back({nested_rule::size_fits_encoding});
    return found;
}

/// The sentence for a violation: what is wrong, with the numbers, and what to change.
constexpr status explain(const nested_violation& v)
{
    constexpr const char* names[] = {"subgroup", "batch", "outer", "thread", "element"};
    const char* name = names[v.level];
    status s(status_code::invalid_argument, "");
    switch (v.rule) {
    case nested_rule::same_rank:
        return s << "the seven arrays of a nested layout differ in length or have more than " << encoding_value::max_x
                 << " entries; give one entry for each tensor dimension";
    case nested_rule::tile_is_positive:
        return s << name << "_tile[" << v.dim << "] is " << v.value << "; tiles start at 1";
    case nested_rule::stride_not_negative:
        return s << name << "_strides[" << v.dim << "] is " << v.value << "; a stride is 0 or more";
    case nested_rule::workgroup_is_positive:
        return s << "a workgroup of " << v.limit << " subgroups of " << v.value << " lanes has no threads";
    case nested_rule::tile_has_a_stride:
        return s << name << "_tile[" << v.dim << "] is " << v.value
                 << " with stride 0, which leaves all but one of its "
                 << "positions without an owner; give it a stride, or make it a batch tile";
    case nested_rule::digits_stand_apart:
        return s << name << "_strides[" << v.dim << "] gives a stride of " << v.value
                 << (v.level == subgroup_level ? "" : " threads") << ", which is no multiple of the " << v.limit
                 << " that the smaller strides span; use a multiple of " << v.limit;
    case nested_rule::digits_fit_workgroup:
        return s << "the digits up to " << name << "_tile[" << v.dim << "] span " << v.value << " of " << v.limit
                 << (v.limit < v.value ? ", which is too few" : ", which is no multiple")
                 << "; use tiles and strides that divide it";
    default:
        return s << "the product of the tiles does not fit 63 bits; use a smaller tile";
    }
}

namespace detail {

/// Appends one P to e, from the least significant digit up. Gaps between strides become replication, and so do the
/// threads left above the last digit.
constexpr void append_partition(encoding_value& e, const nested_digits& digits, long_index_t threads,
                                const rh_digit (&names)[2][encoding_value::max_x])
{
    encoding_value::digits_type rising;
    auto replicate = [&](long_index_t length) {
        if (length > 1) {
            rising.push_back(rh_digit{0, e.rs.size()});
            e.rs.push_back(static_cast<index_t>(length));
        }
    };
    long_index_t span = 1;
    for (const nested_digit& d : digits) {
        replicate(d.stride / span);
        rising.push_back(names[d.level == thread_level][d.dim]);
        span = d.stride * d.length;
    }
    replicate(threads / span);
    e.ps.push_back({});
    for (int i = rising.size() - 1; i >= 0; --i)
        e.ps.back().push_back(rising[i]);
}

} // namespace detail

/// The encoding of a nested layout over a workgroup: Hs[i] are the five tiles of dimension i (subgroup and thread tiles
/// of 1 left out), P is {subgroup, lane} or {thread}, Y is batch, outer, element. Precondition: validate(v, w) is
/// empty.
constexpr encoding_value to_encoding(const nested_value& v, const workgroup_shape& w)
{
    encoding_value e;
    rh_digit lane_digits[2][encoding_value::max_x] = {};
    rh_digit register_digits[3][encoding_value::max_x] = {};
    for (int i = 0; i < v.rank(); ++i) {
        e.hs.push_back({});
        for (int level = 0; level < nested_value::num_levels; ++level) {
            const index_t length = v.tile(level)[i];
            const rh_digit name{i + 1, e.hs[i].size()};
            const bool of_lanes = level == subgroup_level || level == thread_level;
            if (of_lanes && length == 1)
                continue;
            e.hs[i].push_back(length);
            if (of_lanes)
                lane_digits[level == thread_level][i] = name;
            else
                register_digits[level == element_level ? 2 : level - batch_level][i] = name;
        }
    }
    const auto partition = detail::make_partition(v, w);
    for (int p = 0; p < partition.num_p; ++p)
        detail::append_partition(e, partition.digits[p], partition.lengths[p], lane_digits);
    for (const auto& level : register_digits)
        for (int i = 0; i < v.rank(); ++i)
            e.ys.push_back(level[i]);
    return e;
}

/// The digits of a thread in every dimension.
struct virtual_ids
{
    nested_value::lengths_type subgroup;
    nested_value::lengths_type thread;
    friend constexpr bool operator==(const virtual_ids&, const virtual_ids&) = default;
};

/// The virtual ids of thread `tid` of the workgroup.
constexpr virtual_ids find_virtual_ids(const nested_value& v, const workgroup_shape& w, long_index_t tid)
{
    auto digit = [](long_index_t id, long_index_t stride, index_t tile) {
        return stride == 0 ? 0 : static_cast<index_t>(id / stride % tile);
    };
    virtual_ids ids;
    for (int i = 0; i < v.rank(); ++i) {
        ids.subgroup.push_back(
            digit(tid, static_cast<long_index_t>(v.subgroup_strides[i]) * w.subgroup_size, v.subgroup_tile[i]));
        ids.thread.push_back(digit(tid, v.thread_strides[i], v.thread_tile[i]));
    }
    return ids;
}

/// The replica-th thread with these virtual ids, replica in [0, replication(to_encoding(v, w))): the inverse of
/// find_virtual_ids is a set of threads.
constexpr long_index_t find_thread(const nested_value& v, const workgroup_shape& w, const virtual_ids& ids,
                                   long_index_t replica)
{
    const encoding_value e = to_encoding(v, w);
    long_indices x = zeros(v.rank());
    for (int i = 0; i < v.rank(); ++i) {
        const long_index_t registers = static_cast<long_index_t>(v.batch_tile[i]) * v.outer_tile[i];
        x[i] = (ids.subgroup[i] * registers * v.thread_tile[i] + ids.thread[i]) * v.element_tile[i];
    }
    const owner o = find_owner(make_digit_table(e), x, replica);
    return e.num_p() == 1 ? o.p[0] : o.p[0] * w.subgroup_size + o.p[1];
}

} // namespace tegula
