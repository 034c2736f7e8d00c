#pragma once

/// R/H/P/Y encodings as thread-value layouts in shape:stride notation, and back.
///
/// A thread of an encoding is its partition index, all P flattened with the last P fastest, and a value is its
/// register, all Y flattened with the last Y fastest.

#include <tegula/layout/digit_table.hpp>
#include <tegula/notation/strided_linear.hpp>

namespace tegula {

/// A valid encoding as a thread-value layout; the tile's lengths are x_lengths(e). Each mode is coalesced.
///
/// Error: none but that of check(): every encoding is a shape:stride layout.
constexpr outcome<strided_layout> to_strided(const encoding_value& e)
{
    const digit_table t = make_digit_table(e);
    long_index_t base[encoding_value::max_x + 1] = {1};
    for (int i = 0; i < e.num_x(); ++i)
        base[i + 1] = base[i] * x_length(e, i);
    auto push = [&](strided_tuple& mode, rh_digit name) {
        const placed_digit& d = find_digit(t, name);
        if (d.length > 1)
            mode.add(d.length, d.x_dim < 0 ? 0 : d.x_stride * base[d.x_dim]);
    };
    strided_tuple threads, values;
    for (int p = e.num_p() - 1; p >= 0; --p)
        for (int i = e.ps[p].size() - 1; i >= 0; --i)
            push(threads, e.ps[p][i]);
    for (int i = e.num_y() - 1; i >= 0; --i)
        push(values, e.ys[i]);
    const strided_layout l = join(coalesce(threads.compact()), coalesce(values.compact()));
    const status wrong = check(l);
    return wrong.ok() ? outcome<strided_layout>(l) : wrong;
}

namespace detail {

/// Part of a mode that moves one tensor dimension: `length` steps of `stride` elements. x_dim -1: replication.
struct tile_step
{
    int x_dim = -1;
    long_index_t length = 1;
    long_index_t stride = 0;
    rh_digit name{};
};
using tile_steps = static_vector<tile_step, strided_layout::max_leaves>;

/// Cuts one leaf at the borders of tensor dimensions and adds the parts, fastest first.
constexpr status cut_by_dimension(const strided_leaf& leaf, const tile_shape& tile, tile_steps& steps)
{
    status s = obstacle("");
    if (leaf.shape == 1)
        return {};
    if (leaf.stride == 0) {
        steps.push_back({-1, leaf.shape, 0, {}});
        return {};
    }
    long_index_t rest = leaf.shape, stride = leaf.stride, base = 1;
    for (int i = 0; i < tile.size() && rest > 1; base *= tile[i++]) {
        if (stride >= base * tile[i])
            continue;
        if (stride % base != 0)
            return name_mode(s, leaf) << " moves several tensor dimensions in one step: its stride is no multiple of "
                                      << base << "; cut it at the borders of the dimensions";
        const long_index_t step = stride / base, room = tile[i] / step;
        if (rest <= room) {
            steps.push_back({i, rest, step, {}});
            return {};
        }
        if (tile[i] % step != 0 || rest % room != 0)
            return name_mode(s, leaf) << " crosses the border of dimension " << i << ", of length " << tile[i]
                                      << ", where it does not divide; cut it there";
        if (room > 1)
            steps.push_back({i, room, step, {}});
        rest /= room;
        stride = base * tile[i];
    }
    if (rest == 1)
        return {};
    return name_mode(s, leaf) << " goes past the tile; make its lengths larger";
}

constexpr status cut_mode(const strided_layout& mode, const tile_shape& tile, tile_steps& steps)
{
    const strided_layout parts = coalesce(mode);
    for (const strided_leaf& leaf : parts.leaves)
        if (status wrong = cut_by_dimension(leaf, tile, steps); !wrong.ok())
            return wrong;
    if (steps.overflowed())
        return obstacle("the layout has more than ") << strided_layout::max_leaves << " parts";
    for (const tile_step& step : steps)
        if (step.length > INT32_MAX)
            return obstacle("a digit of length ") << step.length << " is past 31 bits; use a smaller layout";
    return {};
}

/// The steps of dimension i in both modes, stride ascending.
using sorted_steps = static_vector<tile_step*, 2 * strided_layout::max_leaves>;

constexpr void insert_by_stride(sorted_steps& sorted, tile_steps& steps, int i)
{
    for (tile_step& step : steps) {
        if (step.x_dim != i)
            continue;
        sorted.push_back(&step);
        for (int k = sorted.size() - 1; k > 0 && sorted[k]->stride < sorted[k - 1]->stride; --k) {
            tile_step* const lower = sorted[k];
            sorted[k] = sorted[k - 1];
            sorted[k - 1] = lower;
        }
    }
}

/// Names the digits of dimension i and lists its H, most significant first.
constexpr status name_digits(tile_steps& threads, tile_steps& values, int i, long_index_t tile,
                             encoding_value::lengths_type& h)
{
    sorted_steps sorted;
    insert_by_stride(sorted, threads, i);
    insert_by_stride(sorted, values, i);
    long_index_t held = 1; // indices below it are held once
    for (int k = 0; k < sorted.size() && sorted[k]->stride <= held; ++k) {
        if (sorted[k]->stride < held)
            return obstacle("two modes meet in dimension ")
                   << i << ": one steps by " << sorted[k]->stride << " where others already hold the first " << held
                   << " indices; R/H/P/Y gives each digit one owner";
        held *= sorted[k]->length;
        sorted[k]->name = {i + 1, sorted.size() - 1 - k};
    }
    if (held < tile)
        return obstacle("nobody holds index ") << held << " of dimension " << i << ", whose length is " << tile
                                               << "; R/H/P/Y holds every element of the tile";
    for (int k = sorted.size() - 1; k >= 0; --k)
        h.push_back(static_cast<index_t>(sorted[k]->length));
    return {};
}

/// Cuts the step that crosses `border` threads, so that the first `border` of them are whole steps.
constexpr status cut_threads(tile_steps& threads, long_index_t border)
{
    tile_steps cut;
    long_index_t before = 1;
    for (const tile_step& step : threads) {
        const long_index_t room = before < border ? border / before : step.length;
        if (room >= step.length) {
            cut.push_back(step);
        } else if (border % before == 0 && step.length % room == 0) {
            cut.push_back({step.x_dim, room, step.stride, {}});
            cut.push_back({step.x_dim, step.length / room, step.stride * room, {}});
        } else {
            return obstacle("a part of ")
                   << step.length << " threads above " << before << " others crosses the border of " << border
                   << " lanes, where it does not divide; choose other lanes";
        }
        before *= step.length;
    }
    if (before % border != 0)
        return obstacle("the layout has ")
               << before << " threads, which are no multiple of " << border << " lanes; choose other lanes";
    threads = cut;
    return {};
}

/// The P of the steps in [first, last), most significant first; R digits are added to e.
constexpr encoding_value::digits_type partition_of(tile_steps& threads, int first, int last, encoding_value& e)
{
    encoding_value::digits_type p;
    for (int k = first; k < last; ++k)
        if (threads[k].x_dim < 0) {
            e.rs.push_back(static_cast<index_t>(threads[k].length));
            threads[k].name = {0, e.rs.size() - 1};
        }
    for (int k = last - 1; k >= first; --k)
        p.push_back(threads[k].name);
    return p;
}

} // namespace detail

/// A thread-value layout over a tile as an encoding in the fewest digits: one P, the thread, or with `lanes` > 0 two,
/// {wave, lane}.
///
/// Errors: not two modes, a mode that crosses the border of a dimension or of a wave without dividing, elements with
/// two owners or none, a value of stride 0, or more dimensions or digits than an encoding has.
constexpr outcome<encoding_value> to_encoding(const strided_layout& l, const tile_shape& tile, long_index_t lanes = 0)
{
    if (status wrong = detail::require_thread_value(l, tile); !wrong.ok())
        return wrong;
    if (tile.size() > encoding_value::max_x)
        return obstacle("the tile has ") << tile.size() << " dimensions; R/H/P/Y has at most " << encoding_value::max_x
                                         << ", merge some";
    detail::tile_steps threads, values;
    if (status wrong = detail::cut_mode(mode(l, 0), tile, threads); !wrong.ok())
        return wrong;
    if (status wrong = detail::cut_mode(mode(l, 1), tile, values); !wrong.ok())
        return wrong;
    for (const detail::tile_step& step : values)
        if (step.x_dim < 0)
            return obstacle("mode ") << step.length
                                     << ":0 repeats an element over registers; R/H/P/Y replicates over "
                                        "threads only";
    if (lanes > 0)
        if (status wrong = detail::cut_threads(threads, lanes); !wrong.ok())
            return wrong;
    encoding_value e;
    for (int i = 0; i < tile.size(); ++i) {
        e.hs.push_back({});
        if (status wrong = detail::name_digits(threads, values, i, tile[i], e.hs.back()); !wrong.ok())
            return wrong;
    }
    int in_wave = lanes > 0 ? 0 : threads.size();
    for (long_index_t n = 1; n < lanes; ++in_wave)
        n *= threads[in_wave].length;
    if (lanes > 0)
        e.ps.push_back(detail::partition_of(threads, in_wave, threads.size(), e));
    e.ps.push_back(detail::partition_of(threads, 0, in_wave, e));
    for (int k = values.size() - 1; k >= 0; --k)
        e.ys.push_back(values[k].name);
    if (const violations wrong = validate(e); !wrong.empty())
        return explain(wrong[0]);
    return e;
}

} // namespace tegula
