#pragma once

#include <tegula/layout/encoding_value.hpp>

namespace tegula {

/// A set of tensor dimensions.
struct dim_set
{
    unsigned bits = 0;
    constexpr bool contains(int dim) const { return dim >= 0 && (bits >> dim & 1) != 0; }
};

template <class... Dims>
constexpr dim_set make_dim_set(Dims... dims)
{
    return {(0u | ... | (1u << dims))};
}

/// Places `inner` inside every element of `outer` (wave tile in block tile): R, H, P and Y are concatenated and the
/// inner minors follow the outer ones. Both must have the same number of tensor dimensions.
constexpr encoding_value embed(const encoding_value& outer, const encoding_value& inner)
{
    encoding_value e = outer;
    auto shifted = [&](rh_digit d) {
        d.minor += outer.lengths(d.major).size();
        return d;
    };
    for (index_t r : inner.rs)
        e.rs.push_back(r);
    for (int i = 0; i < inner.num_x(); ++i)
        for (index_t h : inner.hs[i])
            e.hs[i].push_back(h);
    for (const auto& p : inner.ps) {
        e.ps.push_back({});
        for (rh_digit d : p)
            e.ps.back().push_back(shifted(d));
    }
    for (rh_digit d : inner.ys)
        e.ys.push_back(shifted(d));
    return e;
}

namespace detail {

/// New name of every digit, filled by the operations that move digits between R and the dimensions.
struct renaming
{
    rh_digit to[encoding_value::max_x + 1][encoding_value::max_minors]{};
    constexpr rh_digit& operator[](rh_digit d) { return to[d.major][d.minor]; }
};

constexpr bool owned_by_p(const encoding_value& e, rh_digit d)
{
    for (const auto& p : e.ps)
        for (rh_digit owned : p)
            if (owned == d)
                return true;
    return false;
}

} // namespace detail

/// The distribution of a tile reduced over `dims`, without these dimensions. Their digits become replication if lanes
/// own them (every lane has the result), and vanish if registers own them.
constexpr encoding_value reduce(const encoding_value& e, dim_set dims)
{
    encoding_value r;
    detail::renaming name;
    r.rs = e.rs;
    for (int minor = 0; minor < e.rs.size(); ++minor)
        name[{0, minor}] = {0, minor};
    for (int i = 0; i < e.num_x(); ++i) {
        if (!dims.contains(i))
            r.hs.push_back({});
        for (int minor = 0; minor < e.hs[i].size(); ++minor) {
            const rh_digit d{i + 1, minor};
            const bool kept = !dims.contains(i);
            if (!kept && !detail::owned_by_p(e, d))
                continue;
            const int major = kept ? r.num_x() : 0;
            name[d] = {major, r.lengths(major).size()};
            r.lengths(major).push_back(e.length(d));
        }
    }
    for (const auto& p : e.ps) {
        r.ps.push_back({});
        for (rh_digit d : p)
            r.ps.back().push_back(name[d]);
    }
    for (rh_digit d : e.ys)
        if (!dims.contains(d.major - 1))
            r.ys.push_back(name[d]);
    return r;
}

/// The tile with its dimensions reordered: dimension i of the result is dimension order[i] of `e`. Lanes and registers
/// are unchanged.
template <class Order>
constexpr encoding_value transpose(const encoding_value& e, const Order& order)
{
    encoding_value r = e;
    int place[encoding_value::max_x + 1] = {};
    for (int i = 0; i < e.num_x(); ++i) {
        r.hs[i] = e.hs[order[i]];
        place[order[i] + 1] = i + 1;
    }
    for (auto& p : r.ps)
        for (rh_digit& d : p)
            d.major = place[d.major];
    for (rh_digit& d : r.ys)
        d.major = place[d.major];
    return r;
}

/// The part [begin, end) of every dimension as a distribution of its own, with the registers that hold it.
struct sliced_encoding
{
    encoding_value encoding;
    static_vector<index_t, encoding_value::max_y> y_origins; ///< first register position of the slice
    bool possible = true;                                    ///< false if the slice would split a digit that lanes own
};

namespace detail {

/// Slices one dimension: digits below the slice stay whole, one is cut, those above are held at one value.
constexpr bool slice_dim(const encoding_value& e, int dim, index_t begin, index_t end, sliced_encoding& result)
{
    index_t rest = end - begin;
    for (int minor = e.hs[dim].size() - 1; minor >= 0; --minor) {
        const rh_digit d{dim + 1, minor};
        const index_t length = e.length(d);
        const index_t origin = begin % length;
        begin /= length;
        if (rest % length == 0) {
            if (origin != 0)
                return false;
            rest /= length;
            continue;
        }
        if (owned_by_p(e, d) || origin + rest > length)
            return false;
        result.encoding.hs[dim][minor] = rest;
        for (int y = 0; y < e.num_y(); ++y)
            if (e.ys[y] == d)
                result.y_origins[y] = origin;
        rest = 1;
    }
    return rest == 1;
}

} // namespace detail

/// Cuts a slice along Y digits. Every lane keeps its place; possible is false if the cut is not along registers.
template <class Begins, class Ends>
constexpr sliced_encoding slice(const encoding_value& e, const Begins& begins, const Ends& ends)
{
    sliced_encoding result{e, {}, true};
    for (int y = 0; y < e.num_y(); ++y)
        result.y_origins.push_back(0);
    for (int i = 0; i < e.num_x(); ++i)
        result.possible = result.possible && begins[i] >= 0 && begins[i] < ends[i] && ends[i] <= x_length(e, i) &&
                          detail::slice_dim(e, i, begins[i], ends[i], result);
    return result;
}

namespace detail {

/// Splits the digit `d` into outer * inner = its length; its owner then owns both, outer first.
constexpr void split_digit(encoding_value& e, rh_digit d, index_t inner)
{
    const encoding_value old = e;
    auto& lengths = e.lengths(d.major);
    lengths = {};
    for (int minor = 0; minor < old.lengths(d.major).size(); ++minor) {
        const index_t length = old.lengths(d.major)[minor];
        lengths.push_back(minor == d.minor ? length / inner : length);
        if (minor == d.minor)
            lengths.push_back(inner);
    }
    auto copy = [&](const auto& from, auto& to) {
        to = {};
        for (rh_digit owned : from) {
            const bool after = owned.major == d.major && owned.minor > d.minor;
            to.push_back({owned.major, owned.minor + after});
            if (owned == d)
                to.push_back({d.major, d.minor + 1});
        }
    };
    for (int p = 0; p < e.num_p(); ++p)
        copy(old.ps[p], e.ps[p]);
    copy(old.ys, e.ys);
}

/// Returns the minor of dimension `dim` from which on the digits have the product `inner`. If this boundary lies inside
/// a digit, splits the digit there.
constexpr int split_at(encoding_value& e, int dim, index_t inner)
{
    index_t below = 1;
    int minor = e.hs[dim].size();
    while (below < inner) {
        const index_t length = e.hs[dim][--minor];
        if (below * length > inner) {
            split_digit(e, {dim + 1, minor}, inner / below);
            return minor + 1;
        }
        below *= length;
    }
    return minor;
}

} // namespace detail

/// A tile reshaped to other lengths.
struct reshaped_encoding
{
    encoding_value encoding;
    bool possible = true; ///< false if a length and a digit divide neither way, or the number of elements differs
};

/// The tile with other lengths: elements keep their row-major numbers, lanes and registers keep their elements. A digit
/// is split if a new dimension begins inside one.
template <class Lengths>
constexpr reshaped_encoding reshape(encoding_value e, const Lengths& lengths)
{
    // The new dimension of each digit, from the last digit up.
    index_t owner[encoding_value::max_x * encoding_value::max_minors] = {};
    int taken = 0;
    int dim = e.num_x() - 1, minor = e.hs[dim].size() - 1;
    for (int i = lengths.size() - 1; i >= 0; --i)
        for (index_t rest = lengths[i]; rest > 1; ++taken) {
            while (minor < 0 && dim > 0)
                minor = e.hs[--dim].size() - 1;
            if (minor < 0)
                return {e, false};
            const index_t length = e.hs[dim][minor];
            owner[taken] = i;
            if (rest % length == 0) {
                rest /= length;
                --minor;
            } else if (length % rest == 0) {
                detail::split_digit(e, {dim + 1, minor}, rest);
                rest = 1;
            } else {
                return {e, false};
            }
        }
    encoding_value r = e;
    r.hs = {};
    for (int i = 0; i < lengths.size(); ++i)
        r.hs.push_back({});
    detail::renaming name;
    for (int m = 0; m < e.rs.size(); ++m)
        name[{0, m}] = {0, m};
    int digits = 0;
    for (const auto& h : e.hs)
        digits += h.size();
    for (int i = 0; i < e.num_x(); ++i)
        for (int m = 0; m < e.hs[i].size(); ++m) {
            --digits;
            const index_t to = digits < taken ? owner[digits] : 0;
            if (digits >= taken && e.hs[i][m] > 1)
                return {e, false};
            name[{i + 1, m}] = {to + 1, r.hs[to].size()};
            r.hs[to].push_back(e.hs[i][m]);
        }
    for (auto& p : r.ps)
        for (rh_digit& d : p)
            d = name[d];
    for (rh_digit& d : r.ys)
        d = name[d];
    return {r, true};
}

/// `count` tiles of `e` one after the other along dimension `dim`, whose new slowest digit the first Y counts.
constexpr encoding_value stack(const encoding_value& e, int dim, index_t count)
{
    encoding_value r = e;
    r.hs[dim] = {count};
    for (index_t h : e.hs[dim])
        r.hs[dim].push_back(h);
    auto moved = [&](rh_digit d) { return rh_digit{d.major, d.minor + (d.major == dim + 1)}; };
    for (auto& p : r.ps)
        for (rh_digit& d : p)
            d = moved(d);
    r.ys = {rh_digit{dim + 1, 0}};
    for (rh_digit d : e.ys)
        r.ys.push_back(moved(d));
    return r;
}

namespace detail {

/// Digit `minor` of dimension `dim` becomes digit place(minor), a permutation.
template <class Place>
constexpr void move_digits(encoding_value& e, int dim, const Place& place)
{
    const auto old = e.hs[dim];
    for (int minor = 0; minor < old.size(); ++minor)
        e.hs[dim][static_cast<int>(place(minor))] = old[minor];
    const auto rename = [&](rh_digit& d) {
        if (d.major == dim + 1)
            d.minor = place(d.minor);
    };
    for (auto& p : e.ps)
        for (rh_digit& d : p)
            rename(d);
    for (rh_digit& d : e.ys)
        rename(d);
}

} // namespace detail

/// Permutes positions of dimension `dim` and keeps lanes and registers: position ((x * upper + u) * lower + l) * inner
/// + i becomes ((x * lower + l) * upper + u) * inner + i. Each of the boundaries lies between digits or inside one.
constexpr encoding_value exchange_digits(encoding_value e, int dim, index_t upper, index_t lower, index_t inner)
{
    // From the lowest boundary up: splitting a digit moves the minors after it.
    detail::split_at(e, dim, inner);
    detail::split_at(e, dim, inner * lower);
    const int first = detail::split_at(e, dim, inner * lower * upper);
    const int middle = detail::split_at(e, dim, inner * lower);
    const int last = detail::split_at(e, dim, inner);
    const auto place = [&](index_t minor) {
        return minor < first || minor >= last ? minor
               : minor < middle               ? minor + (last - middle)
                                              : minor - (middle - first);
    };
    detail::move_digits(e, dim, place);
    return e;
}

/// Permutes positions of dimension `dim` and keeps lanes and registers: position a * inner + b becomes b * (length /
/// inner) + a. `inner` must divide the length at digit boundaries or inside one digit.
///
/// A matrix product does not mind the order of its rows: rotating the rows of A and of C alike gives every lane other
/// rows of C, for example neighbouring ones.
constexpr encoding_value rotate_dim(encoding_value e, int dim, index_t inner)
{
    index_t below = 1;
    int moved = 0;
    while (below < inner) {
        const int minor = e.hs[dim].size() - 1 - moved;
        if (below * e.hs[dim][minor] > inner)
            detail::split_digit(e, {dim + 1, minor}, inner / below);
        else {
            below *= e.hs[dim][minor];
            ++moved;
        }
    }
    const int n = e.hs[dim].size();
    detail::move_digits(e, dim, [&](index_t minor) { return (minor + moved) % n; });
    return e;
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::owned_by_p;
} // namespace tegula::internal
