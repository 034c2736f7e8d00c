#pragma once

/// Shape:stride layouts: a hierarchical shape and a stride for each of its numbers, as in (4,(2,8)):(1,(64,4)).
///
/// A layout maps a number c to an offset. It splits c colexicographically, the first number of the shape fastest, into one
/// coordinate for each number of the shape. The offset is the sum of coordinates times strides. If c is past the layout's size,
/// the coordinate of the last number that is not 1 grows beyond this number.

#include <tegula/core/outcome.hpp>
#include <tegula/layout/encoding_value.hpp>

namespace tegula {

/// One number of a shape with its stride, and the parentheses around it: how many open right before it and close right
/// after it.
struct strided_leaf
{
    long_index_t shape = 1;
    long_index_t stride = 0;
    int opens = 0;
    int closes = 0;

    friend constexpr bool operator==(const strided_leaf&, const strided_leaf&) = default;
};

/// A shape:stride layout as a value. The leaves stand in order of the text; a layout without parentheses has one leaf.
///
/// Invariants: at least one leaf, shapes >= 1, strides >= 0, the parentheses are balanced, and size and cosize fit 63
/// bits; check() verifies the numbers. Built by strided_tuple, compact_layout() or parse_strided_layout().
struct strided_layout
{
    static constexpr int max_leaves = 64;

    static_vector<strided_leaf, max_leaves> leaves{strided_leaf{}};

    friend constexpr bool operator==(const strided_layout&, const strided_layout&) = default;
};

/// The layout shape:stride of one number.
constexpr strided_layout make_strided(long_index_t shape, long_index_t stride)
{
    strided_layout l;
    l.leaves[0] = {shape, stride, 0, 0};
    return l;
}

/// Puts layouts side by side as the modes of one: (a,b,...).
class strided_tuple
{
public:
    constexpr strided_tuple& add(const strided_layout& mode)
    {
        for (const strided_leaf& leaf : mode.leaves)
            leaves_.push_back(leaf);
        return *this;
    }
    constexpr strided_tuple& add(long_index_t shape, long_index_t stride)
    {
        leaves_.push_back({shape, stride, 0, 0});
        return *this;
    }
    constexpr bool empty() const { return leaves_.empty(); }
    /// The modes in parentheses; 1:0 if there are none.
    constexpr strided_layout tuple() const
    {
        strided_layout l;
        if (leaves_.empty())
            return l;
        l.leaves = leaves_;
        ++l.leaves[0].opens;
        ++l.leaves.back().closes;
        return l;
    }
    /// The modes, with parentheses only around more than one leaf.
    constexpr strided_layout compact() const
    {
        if (leaves_.size() != 1)
            return tuple();
        strided_layout l;
        l.leaves = leaves_;
        return l;
    }

private:
    static_vector<strided_leaf, strided_layout::max_leaves> leaves_;
};

/// (a,b)
constexpr strided_layout join(const strided_layout& a, const strided_layout& b)
{
    return strided_tuple().add(a).add(b).tuple();
}

/// Whether the layout is a single number without parentheses.
constexpr bool is_scalar(const strided_layout& l) { return l.leaves[0].opens == 0; }

/// The modes of a tuple, or the layout itself if it is scalar. Their number is the layout's rank.
constexpr int num_modes(const strided_layout& l)
{
    if (is_scalar(l))
        return 1;
    int depth = -1, n = 1; // the outermost parentheses close with the last mode
    for (const strided_leaf& leaf : l.leaves) {
        depth += leaf.opens - leaf.closes;
        n += depth == 0;
    }
    return n;
}

/// Mode i, in [0, num_modes(l)).
constexpr strided_layout mode(const strided_layout& l, int i)
{
    if (is_scalar(l))
        return l;
    strided_layout stripped = l;
    --stripped.leaves[0].opens;
    --stripped.leaves.back().closes;
    strided_layout found;
    found.leaves = {};
    int depth = 0;
    for (const strided_leaf& leaf : stripped.leaves) {
        if (i == 0)
            found.leaves.push_back(leaf);
        depth += leaf.opens - leaf.closes;
        if (depth == 0 && i-- == 0)
            break;
    }
    return found;
}

/// How many coordinates the layout takes.
constexpr long_index_t size(const strided_layout& l)
{
    long_index_t n = 1;
    for (const strided_leaf& leaf : l.leaves)
        n *= leaf.shape;
    return n;
}

/// One past the largest offset.
constexpr long_index_t cosize(const strided_layout& l)
{
    long_index_t last = 0;
    for (const strided_leaf& leaf : l.leaves)
        last += (leaf.shape - 1) * leaf.stride;
    return last + 1;
}

namespace detail {

constexpr status& name_mode(status& s, const strided_leaf& leaf)
{
    return s << "mode " << leaf.shape << ":" << leaf.stride;
}

} // namespace detail

/// Whether the layout has few enough numbers, all in range, and a size and a cosize below 2^63.
constexpr status check(const strided_layout& l)
{
    if (l.leaves.overflowed())
        return obstacle("a shape:stride layout holds at most ") << strided_layout::max_leaves << " numbers";
    long_index_t n = 1, last = 0;
    for (const strided_leaf& leaf : l.leaves) {
        if (leaf.shape < 1 || leaf.stride < 0)
            return status(status_code::invalid_argument, "mode ")
                   << leaf.shape << ":" << leaf.stride << " is out of range; a shape starts at 1 and a stride at 0";
        const bool fits = leaf.stride == 0 || leaf.shape - 1 <= (INT64_MAX - 1 - last) / leaf.stride;
        n = internal::checked_product(n, leaf.shape);
        if (n == 0 || !fits)
            return obstacle("size and offsets must fit 63 bits, and mode ")
                   << leaf.shape << ":" << leaf.stride << " goes past that; use a smaller layout";
        last += (leaf.shape - 1) * leaf.stride;
    }
    return {};
}

/// Offset of coordinate c >= 0.
constexpr long_index_t offset(const strided_layout& l, long_index_t c)
{
    int last = l.leaves.size() - 1;
    while (last > 0 && l.leaves[last].shape == 1)
        --last;
    long_index_t sum = 0;
    for (int i = 0; i < last; ++i) {
        sum += c % l.leaves[i].shape * l.leaves[i].stride;
        c /= l.leaves[i].shape;
    }
    return l.leaves[last].shape == 1 ? sum : sum + c * l.leaves[last].stride;
}

/// Offset of one coordinate for each mode; for a thread-value layout offset(l, thread, value).
template <class... Coordinates>
    requires(sizeof...(Coordinates) >= 2)
constexpr long_index_t offset(const strided_layout& l, Coordinates... coordinates)
{
    const long_index_t list[] = {static_cast<long_index_t>(coordinates)...};
    long_index_t sum = 0;
    for (int i = 0; i < static_cast<int>(sizeof...(Coordinates)); ++i)
        sum += offset(mode(l, i), list[i]);
    return sum;
}

/// The layout's numbers in one pair of parentheses.
constexpr strided_layout flatten(const strided_layout& l)
{
    strided_tuple flat;
    for (const strided_leaf& leaf : l.leaves)
        flat.add(leaf.shape, leaf.stride);
    return flat.compact();
}

/// The flat layout with the fewest numbers that is the same function of c. Numbers 1 are dropped. Neighbours are merged if the
/// second continues the first.
constexpr strided_layout coalesce(const strided_layout& l)
{
    static_vector<strided_leaf, strided_layout::max_leaves> kept;
    for (const strided_leaf& leaf : l.leaves) {
        if (leaf.shape == 1)
            continue;
        if (!kept.empty() && leaf.stride % kept.back().shape == 0 &&
            leaf.stride / kept.back().shape == kept.back().stride)
            kept.back().shape *= leaf.shape;
        else
            kept.push_back({leaf.shape, leaf.stride, 0, 0});
    }
    strided_tuple flat;
    for (const strided_leaf& leaf : kept)
        flat.add(leaf.shape, leaf.stride);
    return flat.compact();
}

/// Each mode coalesced by itself.
constexpr strided_layout coalesce_modes(const strided_layout& l)
{
    if (is_scalar(l))
        return coalesce(l);
    strided_tuple modes;
    for (int i = 0; i < num_modes(l); ++i)
        modes.add(coalesce(mode(l, i)));
    return modes.tuple();
}

/// The layout of the same shape whose offset is c itself: strides count up from 1, first number fastest.
constexpr strided_layout compact_layout(strided_layout shape)
{
    long_index_t stride = 1;
    for (strided_leaf& leaf : shape.leaves) {
        leaf.stride = stride;
        stride *= leaf.shape;
    }
    return shape;
}

} // namespace tegula
