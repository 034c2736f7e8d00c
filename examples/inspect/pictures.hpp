#pragma once

// Functions for drawing that the commands share.

#include "commands.hpp"
#include "encoding_map.hpp"
#include "output.hpp"

#include <tegula/drawing/draw_ascii.hpp>
#include <tegula/drawing/draw_html.hpp>
#include <tegula/drawing/draw_svg.hpp>

namespace inspect {

/// Writes the SVG file that was asked for, if one was.
template <class Picture>
void write_svg(const output_choice& output, const Picture& picture)
{
    if (output.svg_file.empty())
        return;
    text_buffer svg;
    draw_svg(svg, picture);
    write_file(output.svg_file, svg.text);
}

/// Writes the HTML file that was asked for, if one was.
inline void write_html(const output_choice& output, const tegula::html_page& page)
{
    if (output.html_file.empty())
        return;
    text_buffer html;
    draw_html(html, page);
    write_file(output.html_file, html.text);
}

/// The table of a tile that fits a terminal, else one line about it.
template <class Sink>
void write_summary_or_table(Sink& sink, const tegula::picture& picture)
{
    const tegula::tile_view view(picture);
    if (view.complete() && view.columns() <= 16 && view.rows() * view.slices() <= 64) {
        draw_ascii(sink, picture);
        return;
    }
    tegula::text_out out(sink);
    out << picture.title << ": ";
    write_summary(sink, view);
    out << "\nToo large for a summary: --ascii and --svg FILE draw it.\n";
}

/// Answers in the chosen forms with an encoding: drawn, or as its C++ type; write_answer(sink) prints the JSON. `page`
/// has what a page says beside the tile.
template <class WriteAnswer>
void show_encoding(const output_choice& output, const tegula::encoding_value& e, const char* title,
                   WriteAnswer&& write_answer, tegula::html_page page = {})
{
    if (output.json)
        require_printable_map(e);
    text_buffer notation;
    write_json(notation, e);
    tegula::picture picture{e, title};
    if (notation.text.size() <= 160)
        picture.note = notation.text.c_str();
    write_svg(output, picture);
    page.title = title;
    page.note = notation.text.c_str();
    page.tiles.push_back(&picture);
    write_html(output, page);
    standard_output out;
    if (output.json)
        write_answer(out);
    if (output.ascii)
        draw_ascii(out, picture);
    if (output.is_summary()) {
        write_type(out, e);
        tegula::text_out(out) << "\n";
        write_summary_or_table(out, picture);
    }
    out.finish();
}

} // namespace inspect
