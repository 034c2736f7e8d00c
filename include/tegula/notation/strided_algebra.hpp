#pragma once

/// The algebra of shape:stride layouts: composition, complement, division, product and inverses. Each function returns
/// a layout for which its law holds for every coordinate, or the sentence that names what stands in the way.

#include <tegula/core/math.hpp>
#include <tegula/notation/strided_layout.hpp>

namespace tegula {

namespace detail {

/// The product or sum; on overflow the largest number, which no layout has as an offset.
constexpr long_index_t saturating_product(long_index_t a, long_index_t b)
{
    return a != 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}
constexpr long_index_t saturating_sum(long_index_t a, long_index_t b) { return b > INT64_MAX - a ? INT64_MAX : a + b; }

/// The outer layout of a composition, coalesced. It splits a number into mixed-radix digits: digit j counts stride
/// j, and the last has no bound. reach_ keeps how far the inner layout's leaves can add up in each digit.
class radix_walk
{
public:
    constexpr explicit radix_walk(const strided_layout& outer) : outer_(coalesce(outer))
    {
        outer_.leaves.back().shape = INT64_MAX;
    }

    /// outer(c * stride) for c in [0, shape) as a layout of its own.
    constexpr outcome<strided_layout> compose(const strided_leaf& inner)
    {
        strided_tuple result;
        long_index_t shape = inner.shape, stride = inner.stride;
        for (int j = 0; shape > 1;) {
            if (steps_to_carry(j, 0, stride) >= shape) {
                result.add(shape, add_mode(j, shape, stride));
                break;
            }
            const long_index_t radix = outer_.leaves[j].shape;
            if (stride % radix == 0) {
                stride /= radix;
                ++j;
                continue;
            }
            const bool divides = radix % stride == 0 && shape % (radix / stride) == 0;
            const long_index_t count = divides ? radix / stride : first_length(j, shape, stride);
            if (count == 0)
                return obstacle("mode ") << inner.shape << ":" << inner.stride
                                         << " of the inner layout carries over mode " << radix << ":"
                                         << outer_.leaves[j].stride << " of the outer one more than " << max_compared
                                         << " times; cut it at common factors of both";
            if (count == 1)
                return obstacle("mode ")
                       << inner.shape << ":" << inner.stride << " of the inner layout and mode " << radix << ":"
                       << outer_.leaves[j].stride << " of the outer one do not divide, and no cut of " << inner.shape
                       << " has these offsets; cut both at common factors, or coalesce the inner layout";
            result.add(count, add_mode(j, count, stride));
            shape /= count;
            stride *= shape == 1 ? 1 : count; // one step past the last need not fit 63 bits
        }
        return result.compact();
    }

    /// Whether composing leaf by leaf was right: the digits of all leaves together stay inside each radix, or what they
    /// carry cancels out.
    constexpr status check_carries(const strided_layout& inner, const strided_layout& result) const
    {
        for (int j = 0; j < outer_.leaves.size(); ++j) {
            if (reach_[j] < outer_.leaves[j].shape)
                continue;
            // The last coordinate carries most, and nearly always shows a difference.
            const long_index_t compared = min<long_index_t>(size(inner), max_compared);
            for (long_index_t c = size(inner) - 1; c >= size(inner) - compared; --c)
                if (offset(result, c) != at(0, offset(inner, c)))
                    return obstacle("the modes of the inner layout reach ")
                           << reach_[j] << " together in mode " << outer_.leaves[j].shape << ":"
                           << outer_.leaves[j].stride
                           << " of the outer one and carry over; order them so that their offsets do not add up past "
                              "it";
            if (compared < size(inner))
                return obstacle("the modes of the inner layout carry over mode ")
                       << outer_.leaves[j].shape << ":" << outer_.leaves[j].stride << " of the outer one, and only "
                       << max_compared << " of its " << size(inner)
                       << " coordinates are compared; order them so that their offsets do not add up past it";
            break;
        }
        return {};
    }

private:
    /// Most carries or coordinates compared one by one if no rule decides: a compiler evaluates so many by default.
    static constexpr int max_compared = 1024;

    /// Offset of a number in units of radix j.
    constexpr long_index_t at(int j, long_index_t x) const
    {
        long_index_t sum = 0;
        for (const strided_leaf* radix = &outer_.leaves[j]; x != 0; x /= radix->shape, ++radix)
            sum = saturating_sum(sum, saturating_product(x % radix->shape, radix->stride));
        return sum;
    }

    /// The first of the steps of `stride` from x, in units of radix j, that carries from any digit to the next. The
    /// steps before it all add the same offset.
    constexpr long_index_t steps_to_carry(int j, long_index_t x, long_index_t stride) const
    {
        long_index_t steps = INT64_MAX;
        for (const strided_leaf* radix = &outer_.leaves[j]; stride != 0; ++radix) {
            if (const long_index_t digit = stride % radix->shape; digit != 0)
                steps = min(steps, (radix->shape - 1 - x % radix->shape) / digit + 1);
            x /= radix->shape;
            stride /= radix->shape;
        }
        return steps;
    }

    /// The longest first number of a shape that has the offsets f(i) = at(j, i * stride), i in [0, shape); 1 if there is
    /// none, 0 if too many steps carry to tell.
    ///
    /// A length n fits if it divides the shape and f(i) - f(i - 1) is f(1) for every i but multiples of n. So the longest
    /// is the greatest common divisor g of the shape and of each i whose step differs; any other that fits divides g.
    /// It is enough to try g: if a shape begins with n, then g / n fits after n, and so the shape may begin with g. The
    /// digits below the last repeat with a period, and after two periods no i adds a divisor.
    constexpr long_index_t first_length(int j, long_index_t shape, long_index_t stride) const
    {
        long_index_t below_last = 1;
        for (int k = j; k + 1 < outer_.leaves.size(); ++k)
            below_last *= outer_.leaves[k].shape;
        const long_index_t end = min(shape, 2 * (below_last / gcd(below_last, stride)) + 1);
        const long_index_t step = at(j, stride);
        long_index_t length = shape, i = 0;
        for (int carries = 0; length > 1; ++carries) {
            const long_index_t steps = steps_to_carry(j, i * stride, stride);
            if (steps >= end - i)
                break;
            if (carries == max_compared)
                return 0;
            i += steps;
            const long_index_t here = at(j, i * stride); // past 63 bits no length fits
            if (here == INT64_MAX || here - at(j, (i - 1) * stride) != step)
                length = gcd(length, i);
        }
        return length;
    }

    /// Returns the offset of one step; adds the reach of all steps to reach_.
    constexpr long_index_t add_mode(int j, long_index_t shape, long_index_t stride)
    {
        const long_index_t step = at(j, stride);
        for (; stride != 0; stride /= outer_.leaves[j++].shape)
            reach_[j] += (shape - 1) * (stride % outer_.leaves[j].shape);
        return step;
    }

    strided_layout outer_;
    long_index_t reach_[strided_layout::max_leaves]{};
};

constexpr outcome<strided_layout> checked(const strided_layout& l)
{
    const status wrong = check(l);
    return wrong.ok() ? outcome<strided_layout>(l) : wrong;
}

/// A leaf of shape > 1 and stride > 0; `before` is the size of the leaves before it in the layout.
struct moving_leaf
{
    long_index_t shape;
    long_index_t stride;
    long_index_t before;
};
using moving_leaves = static_vector<moving_leaf, strided_layout::max_leaves>;

constexpr moving_leaves by_stride(const strided_layout& l)
{
    moving_leaves sorted;
    long_index_t before = 1;
    for (const strided_leaf& leaf : l.leaves) {
        if (leaf.shape > 1 && leaf.stride > 0) {
            sorted.push_back({leaf.shape, leaf.stride, before});
            for (int i = sorted.size() - 1; i > 0 && sorted[i].stride < sorted[i - 1].stride; --i) {
                const moving_leaf lower = sorted[i];
                sorted[i] = sorted[i - 1];
                sorted[i - 1] = lower;
            }
        }
        before *= leaf.shape;
    }
    return sorted;
}

} // namespace detail

/// outer after inner: composition(outer, inner)(c) = outer(inner(c)) for every c in [0, size(inner)). The shape is the
/// inner one's; its numbers are cut at the seams of the outer layout.
///
/// Errors: no cut of the inner shape's numbers has the offsets, because a mode does not divide or modes add up past a
/// mode of the outer layout. An answer that would take more than 1024 carries or coordinates to compare is an error
/// too.
constexpr outcome<strided_layout> composition(const strided_layout& outer, const strided_layout& inner)
{
    detail::radix_walk walk(outer);
    strided_layout result;
    result.leaves = {};
    for (const strided_leaf& leaf : inner.leaves) {
        const outcome<strided_layout> part = walk.compose(leaf);
        if (!part.ok())
            return part;
        const int first = result.leaves.size();
        for (const strided_leaf& piece : part.value.leaves)
            result.leaves.push_back(piece);
        if (result.leaves.overflowed())
            break;
        result.leaves[first].opens += leaf.opens;
        result.leaves.back().closes += leaf.closes;
    }
    const status wrong = check(result);
    const status carries = wrong.ok() ? walk.check_carries(inner, result) : wrong;
    return carries.ok() ? outcome<strided_layout>(result) : carries;
}

namespace detail {

/// Whether each stride is a multiple of what the leaf before spans.
constexpr bool is_divisible(const moving_leaves& leaves)
{
    for (int i = 1; i < leaves.size(); ++i)
        if (leaves[i].stride % leaves[i - 1].stride != 0 ||
            leaves[i].stride / leaves[i - 1].stride % leaves[i - 1].shape != 0)
            return false;
    return true;
}

/// Whether x is c - a for an offset c of the leaves' complement and an offset a of the leaves: the subtraction, digit
/// by digit, borrows nothing from what is above them. Precondition: is_divisible(leaves).
constexpr bool is_difference(const moving_leaves& leaves, long_index_t x)
{
    long_index_t covered = 1, borrowed = 0;
    for (const moving_leaf& leaf : leaves) {
        const long_index_t gap = leaf.stride / covered;
        borrowed = x % gap + borrowed == gap;
        x /= gap;
        borrowed = x % leaf.shape + borrowed > 0;
        x /= leaf.shape;
        covered = leaf.shape * leaf.stride;
    }
    return borrowed == 0;
}

} // namespace detail

/// The offsets that a layout leaves out: added to those of `l`, they reach every number below `bound` once.
///
/// Disjoint: no offset but 0 is an offset of `l`. Ordered: strictly ascending. Bounded: cosize is at most `bound`
/// rounded up to a multiple of the span of l, its largest shape times stride. Coalesced. Modes of stride 0 of `l` are
/// ignored; if its strides do not divide, so are those from the bound on.
///
/// Error: two modes of `l` overlap or do not divide, and both begin below the bound; or a mode from the bound on begins
/// at an offset needed to reach the last number below it.
constexpr outcome<strided_layout> complement(const strided_layout& l, long_index_t bound = 1)
{
    const detail::moving_leaves leaves = detail::by_stride(l);
    const bool divide = detail::is_divisible(leaves);
    strided_tuple gaps;
    detail::moving_leaves used;
    long_index_t covered = 1;
    for (const detail::moving_leaf& leaf : leaves) {
        if (!divide && leaf.stride >= bound)
            break; // neither it nor a larger one has an offset below the bound
        if (leaf.stride % covered != 0)
            return obstacle("mode ") << leaf.shape << ":" << leaf.stride << " starts inside the " << covered
                                     << " offsets that the modes of smaller stride span; a complement needs strides "
                                        "that are multiples of it";
        gaps.add(leaf.stride / covered, covered);
        used.push_back(leaf);
        covered = internal::checked_product(leaf.shape, leaf.stride);
        if (covered == 0)
            return obstacle("mode ") << leaf.shape << ":" << leaf.stride << " spans more than 63 bits";
    }
    const long_index_t copies = bound / covered + (bound % covered != 0);
    for (int i = used.size(); i < leaves.size(); ++i)
        if (leaves[i].stride / covered < copies && detail::is_difference(used, leaves[i].stride))
            return obstacle("mode ") << leaves[i].shape << ":" << leaves[i].stride
                                     << " takes offsets that the complement needs to reach all below " << bound
                                     << "; use a bound of at most " << (copies - 1) * covered;
    gaps.add(copies, covered);
    const outcome<strided_layout> result = detail::checked(gaps.compact());
    return result.ok() ? outcome<strided_layout>(coalesce(result.value)) : result;
}

/// `l` cut into tiles: mode 0 is the tile, l after `tiler`; mode 1 goes over the tiles, l after what the tiler leaves
/// out of l's size.
constexpr outcome<strided_layout> logical_divide(const strided_layout& l, const strided_layout& tiler)
{
    const outcome<strided_layout> rest = complement(tiler, size(l));
    return rest.ok() ? composition(l, join(tiler, rest.value)) : rest;
}

namespace detail {

/// A search for two different copies of a block that share an offset. It takes differences of two coordinates along
/// each leaf, the largest stride first, that sum up to 0 although those along the copies' leaves do not.
struct copies_that_meet
{
    static constexpr int max_tries = 1024;

    moving_leaves leaves;
    long_index_t block; ///< how many coordinates the block has; the copies' leaves come after them
    int tries = 0;

    /// Tries leaves [0, i] after a difference `sum`, `copy` of it along the copies' leaves. Also true after max_tries.
    constexpr bool exist(int i, long_index_t sum = 0, long_index_t copy = 0)
    {
        if (i < 0)
            return sum == 0 && copy != 0;
        long_index_t below = 0; // what the smaller leaves can bring back
        for (int k = 0; k < i; ++k)
            below = saturating_sum(below, (leaves[k].shape - 1) * leaves[k].stride);
        const moving_leaf& leaf = leaves[i];
        const long_index_t steps = min(leaf.shape - 1, saturating_sum(below, sum < 0 ? -sum : sum) / leaf.stride);
        for (long_index_t c = -steps; c <= steps; ++c) {
            const long_index_t next = sum + c * leaf.stride;
            if (++tries > max_tries)
                return true;
            if (next <= below && -next <= below &&
                exist(i - 1, next, leaf.before < block ? copy : copy + c * leaf.stride))
                return true;
        }
        return false;
    }
};

} // namespace detail

/// Copies of `l`: mode 0 is l itself; mode 1 places the copies next to one another, in the order of `tiler`: l's
/// complement below size(l) * cosize(tiler), after tiler.
///
/// Errors: those of complement() and composition(); or copies that meet, or might after 1024 trials, because modes of l
/// above that bound do not divide.
constexpr outcome<strided_layout> logical_product(const strided_layout& l, const strided_layout& tiler)
{
    const long_index_t bound = internal::checked_product(size(l), cosize(tiler));
    if (bound == 0)
        return obstacle("size times cosize, ") << size(l) << " x " << cosize(tiler) << ", must fit 63 bits";
    const outcome<strided_layout> room = complement(l, bound);
    if (!room.ok())
        return room;
    const outcome<strided_layout> copies = composition(room.value, tiler);
    if (!copies.ok())
        return copies;
    const outcome<strided_layout> product = detail::checked(join(l, copies.value));
    if (!product.ok() || detail::is_divisible(detail::by_stride(l)))
        return product;
    detail::copies_that_meet search{detail::by_stride(product.value), size(l)};
    if (search.exist(search.leaves.size() - 1))
        return obstacle("modes of stride ")
               << bound << " and more do not divide, and copies at offsets up to " << cosize(copies.value) - 1
               << " meet in them or are too many to tell; use strides that are multiples of what smaller modes span";
    return product;
}

namespace detail {

/// logical_product with mode i of the copies next to mode i of the block.
constexpr outcome<strided_layout> zipped_product(const strided_layout& block, const strided_layout& tiler,
                                                 bool block_first)
{
    const int modes = num_modes(block) > num_modes(tiler) ? num_modes(block) : num_modes(tiler);
    auto padded = [&](const strided_layout& l) {
        strided_tuple t;
        for (int i = 0; i < modes; ++i)
            t.add(i < num_modes(l) ? mode(l, i) : strided_layout());
        return t.tuple();
    };
    const outcome<strided_layout> product = logical_product(padded(block), padded(tiler));
    if (!product.ok())
        return product;
    const strided_layout inner = mode(product.value, 0), outer = mode(product.value, 1);
    strided_tuple zipped;
    for (int i = 0; i < modes; ++i) {
        const strided_layout a = mode(inner, i), b = mode(outer, i);
        zipped.add(block_first ? join(a, b) : join(b, a));
    }
    return checked(zipped.tuple());
}

} // namespace detail

/// A grid of copies: mode i counts through mode i of the block, then through mode i of the tiler. Modes that one of
/// them lacks are 1:0.
constexpr outcome<strided_layout> blocked_product(const strided_layout& block, const strided_layout& tiler)
{
    return detail::zipped_product(block, tiler, true);
}

/// A grid of copies that are interleaved: mode i counts through the tiler first, then through the block.
constexpr outcome<strided_layout> raked_product(const strided_layout& block, const strided_layout& tiler)
{
    return detail::zipped_product(block, tiler, false);
}

/// The longest layout r with l(r(i)) = i for every i in [0, size(r)); 1:0 if l has no stride 1. Coalesced.
constexpr strided_layout right_inverse(const strided_layout& l)
{
    strided_tuple result;
    long_index_t reached = 1;
    for (const detail::moving_leaf& leaf : detail::by_stride(coalesce(l))) {
        if (leaf.stride != reached)
            break;
        result.add(leaf.shape, leaf.before);
        reached = leaf.shape * leaf.stride;
    }
    return coalesce(result.compact());
}

/// A layout r with r(l(c)) = c for every c in [0, size(l)). Coalesced.
/// Error: l takes two coordinates to one offset, or complement() does not exist.
constexpr outcome<strided_layout> left_inverse(const strided_layout& l)
{
    for (const strided_leaf& leaf : l.leaves)
        if (leaf.shape > 1 && leaf.stride == 0)
            return obstacle("mode ") << leaf.shape << ":0 takes all its coordinates to one offset; "
                                     << "no layout inverts that";
    const outcome<strided_layout> gaps = complement(l, cosize(l)); // none of its modes is left out
    return gaps.ok() ? detail::checked(right_inverse(join(l, gaps.value))) : gaps;
}

/// Each mode of `l` divided by its own tiler: mode i is logical_divide(mode(l, i), tilers[i]). Modes past the tilers
/// stay. Precondition: at most num_modes(l) tilers.
template <int N>
constexpr outcome<strided_layout> logical_divide_modes(const strided_layout& l, const array<strided_layout, N>& tilers)
{
    strided_tuple modes;
    for (int i = 0; i < num_modes(l); ++i) {
        const outcome<strided_layout> part =
            i < N ? logical_divide(mode(l, i), tilers[i]) : outcome<strided_layout>(mode(l, i));
        if (!part.ok())
            return part;
        modes.add(part.value);
    }
    return detail::checked(modes.tuple());
}

} // namespace tegula
