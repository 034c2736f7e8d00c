#pragma once

// What the commands share in drawing.

#include "commands.hpp"
#include "output.hpp"

#include <tegula/layout/draw_ascii.hpp>
#include <tegula/layout/draw_svg.hpp>

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

} // namespace inspect
