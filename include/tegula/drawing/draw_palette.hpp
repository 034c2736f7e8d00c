#pragma once

#include <tegula/core/array.hpp>

namespace tegula {

/// A colour of red, green and blue, each in [0, 255].
struct colour
{
    int red = 0, green = 0, blue = 0;
    friend constexpr bool operator==(const colour&, const colour&) = default;
};

namespace detail {

/// Runs from light blue over green, yellow and pink to lilac. The anchors follow Paul Tol's "light" scheme, four of
/// them changed or added. That scheme was made for cells with dark labels, and its colours stay apart under the usual
/// colour-vision deficiencies.
inline constexpr colour anchors[] = {
    {0x77, 0xaa, 0xdd}, // blue
    {0x99, 0xdd, 0xff}, // cyan
    {0x66, 0xc9, 0xae}, // mint
    {0xbb, 0xcc, 0x55}, // pear
    {0xee, 0xdd, 0x88}, // yellow
    {0xee, 0x99, 0x77}, // orange
    {0xff, 0xaa, 0xbb}, // pink
    {0xc9, 0xae, 0xe0}, // lilac
};
inline constexpr int num_anchors = sizeof(anchors) / sizeof(anchors[0]);

/// a at part 0, b at part `whole`.
constexpr int blend(int a, int b, int part, int whole) { return a + ((b - a) * part + whole / 2) / whole; }
constexpr colour blend(const colour& a, const colour& b, int part, int whole)
{
    return {blend(a.red, b.red, part, whole), blend(a.green, b.green, part, whole), blend(a.blue, b.blue, part, whole)};
}

} // namespace detail

/// Number of steps a palette tells apart: more lanes share them in groups of neighbours.
inline constexpr int palette_steps = 64;
/// Waves alternate between this many tints of a step.
inline constexpr int palette_tints = 2;

/// Colour of `step` in [0, steps), steps at most palette_steps, in a tint.
constexpr colour palette(int step, int steps, int tint)
{
    const int last = steps > 1 ? steps - 1 : 1;
    const int scaled = step * (detail::num_anchors - 1);
    const int from = scaled / last;
    const int to = from + 1 < detail::num_anchors ? from + 1 : from;
    const colour full = detail::blend(detail::anchors[from], detail::anchors[to], scaled % last, last);
    return tint == 0 ? full : detail::blend(full, colour{255, 255, 255}, 2, 5);
}

} // namespace tegula
