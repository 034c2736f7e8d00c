#pragma once

/// The algebra of shape:stride layouts: composition, complement, division, product and inverses. Each function returns
/// a layout for which its law holds for every coordinate, or the sentence that names what stands in the way.

#include <tegula/notation/strided_layout.hpp>

namespace tegula {

namespace detail {

/// The product or sum, or the largest number, which no layout has as an offset.
constexpr long_index_t saturating_product(long_index_t a, long_index_t b)
{
    return a != 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}
constexpr long_index_t saturating_sum(long_index_t a, long_index_t b) { return b > INT64_MAX - a ? INT64_MAX : a + b; }

/// The outer layout of a composition, coalesced: offset as a mixed-radix number, radix j weighing stride j. Keeps how
/// far the digits of the inner layout's leaves can add up in each radix.
class radix_walk
{
public:
    constexpr explicit radix_walk(const strided_layout& outer) : outer_(coalesce(outer)) {}

    /// outer(c * stride) for c in [0, shape) as a layout of its own.
    constexpr outcome<strided_layout> compose(const strided_leaf& inner)
    {
        strided_tuple result;
        long_index_t shape = inner.shape, stride = inner.stride;
        for (int j = 0; shape > 1; ++j) {
            if (steps_without_carry(j, shape, stride)) {
                result.add(shape, weigh(j, shape, stride));
                break;
            }
            const long_index_t radix = outer_.leaves[j].shape;
            if (stride % radix == 0) {
                stride /= radix;
                continue;
            }
            const long_index_t count = stride < radix && radix % stride == 0 ? radix / stride : 0;
            if (count == 0 || shape % count != 0)
                return obstacle("mode ") << inner.shape << ":" << inner.stride << " of the inner layout and mode "
                                         << radix << ":" << outer_.leaves[j].stride
                                         << " of the outer one do not divide, and the inner one is composed mode by "
                                            "mode; cut both at common factors";
            if (count > 1)
                result.add(count, weigh(j, count, stride));
            shape /= count;
            stride = 1;
        }
        return result.compact();
    }

    /// Whether the digits of all leaves together stay inside each radix, so that composing leaf by leaf is right.
    constexpr status check_carries() const
    {
        for (int j = 0; j + 1 < outer_.leaves.size(); ++j)
            if (reach_[j] >= outer_.leaves[j].shape)
                return obstacle("the modes of the inner layout reach ")
                       << reach_[j] << " together in mode " << outer_.leaves[j].shape << ":" << outer_.leaves[j].stride
                       << " of the outer one and carry over; order them so that their offsets do not add up past it";
        return {};
    }

private:
    constexpr bool is_last(int j) const { return j + 1 == outer_.leaves.size(); }

    /// Whether `shape` steps of `stride`, in units of radix j, move each digit from j on by itself.
    constexpr bool steps_without_carry(int j, long_index_t shape, long_index_t stride) const
    {
        for (; !is_last(j) && stride != 0; ++j) {
            const long_index_t radix = outer_.leaves[j].shape;
            if (stride % radix != 0 && (shape - 1) > (radix - 1) / (stride % radix))
                return false;
            stride /= radix;
        }
        return true;
    }
    /// Offset of one step, and the reach of all of them noted.
    constexpr long_index_t weigh(int j, long_index_t shape, long_index_t stride)
    {
        long_index_t sum = 0;
        for (; stride != 0; ++j) {
            const long_index_t digit = is_last(j) ? stride : stride % outer_.leaves[j].shape;
            reach_[j] += (shape - 1) * digit;
            sum = saturating_sum(sum, saturating_product(digit, outer_.leaves[j].stride));
            stride = is_last(j) ? 0 : stride / outer_.leaves[j].shape;
        }
        return sum;
    }

    strided_layout outer_;
    long_index_t reach_[strided_layout::max_leaves]{};
};

constexpr outcome<strided_layout> checked(const strided_layout& l)
{
    const status wrong = check(l);
    return wrong.ok() ? outcome<strided_layout>(l) : wrong;
}

/// The leaves that move anything, stride ascending; `before` is the size of the leaves before each in the layout.
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
/// inner one's, a number split where the outer layout has a seam.
///
/// Errors: a mode that does not divide, or modes whose offsets add up past a mode of the outer layout. The inner layout is
/// composed mode by mode, so that some pairs are refused whose modes have a shape only together.
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
    const status carries = walk.check_carries();
    return carries.ok() ? detail::checked(result) : carries;
}

/// What a layout leaves out: offsets that, added to those of `l`, reach every number below `bound` once.
///
/// Disjoint: no offset but 0 is an offset of `l`. Ordered: strictly ascending. Bounded: cosize is at most `bound`
/// rounded up to a multiple of the span of l, its largest shape times stride. Coalesced. Strides 0 of `l` count for
/// nothing.
///
/// Error: two modes of `l` that overlap or do not divide, of which both begin below the bound.
constexpr outcome<strided_layout> complement(const strided_layout& l, long_index_t bound = 1)
{
    strided_tuple gaps;
    long_index_t covered = 1;
    for (const detail::moving_leaf& leaf : detail::by_stride(l)) {
        if (leaf.stride % covered != 0 && leaf.stride >= bound)
            break; // neither it nor a larger one has an offset below the bound
        if (leaf.stride % covered != 0)
            return obstacle("mode ") << leaf.shape << ":" << leaf.stride << " starts inside the " << covered
                                     << " offsets that the modes of smaller stride span; a complement needs strides "
                                        "that are multiples of it";
        gaps.add(leaf.stride / covered, covered);
        covered = internal::checked_product(leaf.shape, leaf.stride);
        if (covered == 0)
            return obstacle("mode ") << leaf.shape << ":" << leaf.stride << " spans more than 63 bits";
    }
    gaps.add(bound / covered + (bound % covered != 0), covered);
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

/// Copies of `l`: mode 0 is l itself; mode 1 places the copies, in the order of `tiler`, beside one another.
constexpr outcome<strided_layout> logical_product(const strided_layout& l, const strided_layout& tiler)
{
    const long_index_t bound = internal::checked_product(size(l), cosize(tiler));
    if (bound == 0)
        return obstacle("size times cosize, ") << size(l) << " x " << cosize(tiler) << ", must fit 63 bits";
    const outcome<strided_layout> room = complement(l, bound);
    if (!room.ok())
        return room;
    const outcome<strided_layout> copies = composition(room.value, tiler);
    return copies.ok() ? detail::checked(join(l, copies.value)) : copies;
}

namespace detail {

/// logical_product with mode i of the copies beside mode i of the block.
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

/// The same with the copies interleaved: mode i counts through the tiler first.
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
