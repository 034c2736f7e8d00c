#pragma once

#include <tegula/core/math.hpp>
#include <tegula/drawing/draw.hpp>
#include <tegula/drawing/draw_palette.hpp>

#include <initializer_list>

/// The parts of an SVG picture: the cells, lines, labels and axes of one slice, and the legend.

namespace tegula::detail {

/// Measures in pixels.
struct svg_measure
{
    static constexpr int margin = 24;
    static constexpr int row_numbers = 46;    ///< left of a panel
    static constexpr int column_numbers = 40; ///< above a panel
    static constexpr int name = 20;           ///< above those, the panel's name
    static constexpr int gap = 26;            ///< between panels
    static constexpr int header = 48;         ///< title
    static constexpr int line = 18;
    static constexpr int legend = 56;
    static constexpr int cell_height = 30;
    static constexpr int min_cell_width = 30;
    static constexpr int page = 1500; ///< panels wrap past this width
    static constexpr int max_stripes = 4;
};

/// Text with the characters of XML escaped.
template <class Sink>
void write_escaped(text_out<Sink>& out, const char* text)
{
    for (; *text != '\0'; ++text)
        switch (*text) {
        case '&':
            out << "&amp;";
            break;
        case '<':
            out << "&lt;";
            break;
        case '>':
            out << "&gt;";
            break;
        default:
            out << *text;
        }
}

template <class Sink>
void write_colour(text_out<Sink>& out, const colour& c)
{
    constexpr const char* hex = "0123456789abcdef";
    out << '#';
    for (int channel : {c.red, c.green, c.blue})
        out << hex[channel / 16] << hex[channel % 16];
}

template <class Sink, class Word>
void write_text(text_out<Sink>& out, const char* style, int x, int y, const Word& word)
{
    out << "<text class=\"" << style << "\" x=\"" << x << "\" y=\"" << y << "\">" << word << "</text>\n";
}

/// A text element with words of the caller, which are escaped.
template <class Sink>
void write_foreign_text(text_out<Sink>& out, const char* style, int x, int y, const char* text)
{
    out << "<text class=\"" << style << "\" x=\"" << x << "\" y=\"" << y << "\">";
    write_escaped(out, text);
    out << "</text>\n";
}

constexpr long_index_t num_lanes(const encoding_value& e) { return e.num_p() > 0 ? p_length(e, e.num_p() - 1) : 1; }

/// How the cells of a tile are coloured: by lane, in stripes if several lanes hold the element.
class cell_colours
{
public:
    /// The scale runs over the lanes of the tile, or over `at_least` if those are more.
    cell_colours(const tile_view& view, long_index_t at_least) : view_(view)
    {
        const encoding_value& e = view.encoding();
        lane_dim_ = e.num_p() - 1;
        lanes_ = num_lanes(e) > at_least ? num_lanes(e) : at_least;
        steps_ = static_cast<int>(lanes_ < palette_steps ? lanes_ : palette_steps);
        const long_index_t count = lane_dim_ >= 0 ? view.replicas(lane_dim_).count : 1;
        stripes_ = static_cast<int>(count < svg_measure::max_stripes ? count : svg_measure::max_stripes);
    }

    long_index_t lanes() const { return lanes_; }
    int stripes() const { return stripes_; }
    int count() const { return steps_ * palette_tints; }
    colour value(int id) const { return palette(id / palette_tints, steps_, id % palette_tints); }
    int id_of_lane(long_index_t lane) const { return static_cast<int>(lane * steps_ / lanes_) * palette_tints; }
    int id(const owner& o, int stripe) const
    {
        if (lane_dim_ < 0)
            return 0;
        const replica_set& set = view_.replicas(lane_dim_);
        const long_index_t lane = o.p[lane_dim_] + set.offset(stripe * set.count / stripes_);
        const long_index_t wave = lane_dim_ > 0 ? o.p[lane_dim_ - 1] : 0;
        return id_of_lane(lane) + static_cast<int>(wave % palette_tints);
    }

private:
    const tile_view& view_;
    int lane_dim_ = -1;
    long_index_t lanes_ = 1;
    int steps_ = 1;
    int stripes_ = 1;
};

/// A tile ready to be drawn: its view, colours and the size of its cells.
struct svg_tile
{
    tile_view view;
    cell_colours colours;
    int cell_width = svg_measure::min_cell_width;

    explicit svg_tile(const picture& source, long_index_t at_least_lanes = 1)
        : view(source), colours(view, at_least_lanes)
    {
        int widest = 0;
        for (int slice = 0; slice < view.drawn_slices(); ++slice)
            for_each_cell(slice, [&](int, int, const owner& o) {
                short_text text;
                write_holders(text, view, o);
                widest = max(widest, text.size());
            });
        widen(widest * 13 / 2 + 10);
    }
    svg_tile(const svg_tile&) = delete;

    /// Makes the cells at least `wanted` pixels wide; the stripes of a cell are whole pixels.
    void widen(int wanted)
    {
        const int multiple = 2 * colours.stripes();
        cell_width = round_up(max(wanted, cell_width), multiple);
    }

    /// f(row, column, owner) for the drawn cells of a slice, row by row.
    template <class F>
    void for_each_cell(int slice, F&& f) const
    {
        for (int row = 0; row < view.drawn_rows(); ++row)
            for (int column = 0; column < view.drawn_columns(); ++column)
                f(row, column, view.holder(slice, row, column));
    }

    int width() const { return view.drawn_columns() * cell_width; }
    int height() const { return view.drawn_rows() * svg_measure::cell_height; }
};

/// One path for each colour: all its cells or stripes.
template <class Sink>
void draw_fills(text_out<Sink>& out, const svg_tile& tile, int slice)
{
    constexpr int max_cells = tile_view::limit * tile_view::limit;
    short ids[max_cells][svg_measure::max_stripes];
    const int stripes = tile.colours.stripes();
    const int columns = tile.view.drawn_columns();
    const int cells = columns * tile.view.drawn_rows();
    bool used[palette_steps * palette_tints] = {};
    tile.for_each_cell(slice, [&](int row, int column, const owner& o) {
        for (int s = 0; s < stripes; ++s) {
            const int id = tile.colours.id(o, s);
            ids[row * columns + column][s] = static_cast<short>(id);
            used[id] = true;
        }
    });
    const int stripe = tile.cell_width / stripes;
    for (int id = 0; id < tile.colours.count(); ++id) {
        if (!used[id])
            continue;
        out << "<path fill=\"";
        write_colour(out, tile.colours.value(id));
        out << "\" d=\"";
        for (int i = 0; i < cells; ++i)
            for (int s = 0; s < stripes; ++s)
                if (ids[i][s] == id)
                    out << 'M' << i % columns * tile.cell_width + s * stripe << ' '
                        << i / columns * svg_measure::cell_height << 'h' << stripe << 'v' << svg_measure::cell_height
                        << "h-" << stripe << 'z';
        out << "\"/>\n";
    }
}

/// White lines between the cells, dark ones where the wave changes.
template <class Sink>
void draw_lines(text_out<Sink>& out, const svg_tile& tile, int slice)
{
    const int h = svg_measure::cell_height;
    out << "<path class=\"grid\" d=\"";
    for (int column = 1; column < tile.view.drawn_columns(); ++column)
        out << 'M' << column * tile.cell_width << " 0v" << tile.height();
    for (int row = 1; row < tile.view.drawn_rows(); ++row)
        out << "M0 " << row * h << 'h' << tile.width();
    out << "\"/>\n<path class=\"wave\" d=\"";
    auto same_wave = [](const owner& a, const owner& b) {
        for (int p = 0; p < a.p.size() - 1; ++p)
            if (a.p[p] != b.p[p])
                return false;
        return true;
    };
    if (tile.view.encoding().num_p() > 1)
        tile.for_each_cell(slice, [&](int row, int column, const owner& o) {
            if (column > 0 && !same_wave(o, tile.view.holder(slice, row, column - 1)))
                out << 'M' << column * tile.cell_width << ' ' << row * h << 'v' << h;
            if (row > 0 && !same_wave(o, tile.view.holder(slice, row - 1, column)))
                out << 'M' << column * tile.cell_width << ' ' << row * h << 'h' << tile.cell_width;
        });
    out << "M0 0h" << tile.width() << 'v' << tile.height() << "h-" << tile.width() << "z\"/>\n";
}

/// The labels of one kind, one text element per row.
template <class Sink, class Write>
void draw_labels(text_out<Sink>& out, const svg_tile& tile, int slice, const char* style, int baseline, Write&& write)
{
    tile.for_each_cell(slice, [&](int row, int column, const owner& o) {
        if (column == 0)
            out << "<text class=\"" << style << "\" y=\"" << row * svg_measure::cell_height + baseline << "\">";
        out << "<tspan x=\"" << column * tile.cell_width + tile.cell_width / 2 << "\">";
        write(o);
        out << "</tspan>" << (column + 1 == tile.view.drawn_columns() ? "</text>\n" : "");
    });
}

/// Names and numbers along the top and the left of a panel.
template <class Sink>
void draw_axes(text_out<Sink>& out, const svg_tile& tile)
{
    write_foreign_text(out, "axis", tile.width() / 2, -24, tile.view.axis(1));
    out << "<text class=\"tick\" y=\"-8\">";
    for (int column = 0; column < tile.view.drawn_columns(); ++column)
        out << "<tspan x=\"" << column * tile.cell_width + tile.cell_width / 2 << "\">" << column << "</tspan>";
    out << "</text>\n";
    if (tile.view.num_x() < 2)
        return;
    write_foreign_text(out, "axis", -36, tile.height() / 2 + 4, tile.view.axis(2));
    for (int row = 0; row < tile.view.drawn_rows(); ++row)
        write_text(out, "tick", -14, row * svg_measure::cell_height + 19, row);
}

/// One slice with its axes; (x, y) is the corner of its first cell.
template <class Sink>
void draw_panel(text_out<Sink>& out, const svg_tile& tile, int slice, const char* name, int x, int y)
{
    out << "<g transform=\"translate(" << x << ',' << y << ")\">\n";
    write_foreign_text(out, "name", 0, -42, name);
    draw_axes(out, tile);
    draw_fills(out, tile, slice);
    draw_lines(out, tile, slice);
    draw_labels(out, tile, slice, "lane", 14, [&](const owner& o) {
        short_text text;
        write_holders(text, tile.view, o);
        out << text.c_str();
    });
    draw_labels(out, tile, slice, "register", 25, [&](const owner& o) { out << 'r' << tile.view.register_number(o); });
    out << "</g>\n";
}

/// The colours of the lanes with their numbers; returns the width.
template <class Sink>
int draw_scale(text_out<Sink>& out, const cell_colours& colours, int left)
{
    const int steps = colours.count() / palette_tints;
    const int width = min(320 / steps, 40);
    const int every = steps > 16 ? steps / 4 : 1;
    for (int i = 0; i < steps; ++i) {
        out << "<path fill=\"";
        write_colour(out, colours.value(i * palette_tints));
        out << "\" d=\"M" << left + i * width << " 0h" << width << "v14h-" << width << "z\"/>\n";
        const long_index_t lane = i == steps - 1 ? colours.lanes() - 1 : i * colours.lanes() / steps;
        if (i % every == 0 || i == steps - 1)
            write_text(out, "tick", left + i * width + width / 2, 27, lane);
    }
    return steps * width;
}

/// The first cell with the meaning of its two lines, and the scale of lane colours.
template <class Sink>
void draw_legend(text_out<Sink>& out, const svg_tile& tile, int x, int y)
{
    const tile_view& view = tile.view;
    const owner o = view.holder(0, 0, 0);
    short_text names, holders, number;
    write_holder_names(names, view);
    write_holders(holders, view, o);
    out << "<g transform=\"translate(" << x << ',' << y << ")\">\n";
    const int stripe = tile.cell_width / tile.colours.stripes();
    for (int s = 0; s < tile.colours.stripes(); ++s) {
        out << "<path fill=\"";
        write_colour(out, tile.colours.value(tile.colours.id(o, s)));
        out << "\" d=\"M" << s * stripe << " 0h" << stripe << 'v' << svg_measure::cell_height << "h-" << stripe
            << "z\"/>\n";
    }
    write_text(out, "lane", tile.cell_width / 2, 14, holders.c_str());
    text_out(number) << 'r' << view.register_number(o);
    write_text(out, "register", tile.cell_width / 2, 25, number.c_str());
    write_text(out, "note", tile.cell_width + 8, 13, names.c_str());
    write_text(out, "note", tile.cell_width + 8, 27, "register");
    const int left = tile.cell_width + 120;
    const int right = left + draw_scale(out, tile.colours, left);
    const int num_p = view.encoding().num_p();
    const bool waves = num_p > 1 && view.is_told(num_p - 2);
    write_text(out, "note", right + 10, 12, waves ? "lane; odd waves are lighter" : "lane");
    out << "</g>\n";
}

} // namespace tegula::detail
