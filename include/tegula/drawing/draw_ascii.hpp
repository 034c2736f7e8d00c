#pragma once

#include <tegula/drawing/draw.hpp>

namespace tegula {

namespace detail {

/// One cell of a table: "5:3", or "w0 l5 r3" if it shows more than lanes.
inline short_text ascii_cell(const tile_view& view, int slice, int row, int column)
{
    short_text text;
    text_out out(text);
    const owner o = view.holder(slice, row, column);
    write_holders(text, view, o);
    out << (view.num_told() > 1 ? " r" : ":") << view.register_number(o);
    return text;
}

inline int decimal_width(long_index_t n)
{
    short_text text;
    text_out(text) << n;
    return text.size();
}

/// A slice as a table with the column numbers on top and the row numbers at the left.
template <class Sink>
void draw_ascii_slice(text_out<Sink>& out, const tile_view& view, int slice)
{
    int width = decimal_width(view.drawn_columns() - 1);
    for (int row = 0; row < view.drawn_rows(); ++row)
        for (int column = 0; column < view.drawn_columns(); ++column) {
            const int size = ascii_cell(view, slice, row, column).size();
            width = size > width ? size : width;
        }
    const int head = decimal_width(view.drawn_rows() - 1);
    out.repeat(' ', head + 2);
    for (int column = 0; column < view.drawn_columns(); ++column)
        out.repeat(' ', 2 + width - decimal_width(column)) << column;
    out << "\n";
    for (int row = 0; row < view.drawn_rows(); ++row) {
        out.repeat(' ', head - decimal_width(row)) << row << " |";
        for (int column = 0; column < view.drawn_columns(); ++column) {
            const short_text cell = ascii_cell(view, slice, row, column);
            out.repeat(' ', 2 + width - cell.size()) << cell.c_str();
        }
        out << "\n";
    }
}

} // namespace detail

/// Draws the tile as a table of text, one cell an element: "lane:register", or "w0 l5 r3" with several waves. A tile of
/// one dimension is one row; one of more than two is a table for every slice.
template <text_sink Sink>
void draw_ascii(Sink& sink, const picture& source)
{
    text_out out(sink);
    const tile_view view(source);
    if (source.title[0] != '\0')
        out << source.title << ": ";
    write_summary(sink, view);
    out << "\ncell = ";
    write_holder_names(sink, view);
    out << (view.num_told() > 1 ? ", register" : ":register");
    if (view.num_x() > 1)
        out << ", " << view.axis(2) << " down, " << view.axis(1) << " to the right";
    out << "\n";
    if (!view.complete()) {
        write_drawn_part(sink, view);
        out << "\n";
    }
    for (int slice = 0; slice < view.drawn_slices(); ++slice) {
        if (view.num_x() > 2) {
            out << "\n";
            write_slice_name(sink, view, slice);
            out << "\n";
        }
        detail::draw_ascii_slice(out, view, slice);
    }
}

} // namespace tegula
