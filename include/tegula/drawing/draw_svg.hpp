#pragma once

#include <tegula/core/math.hpp>
#include <tegula/drawing/draw_svg_panel.hpp>

namespace tegula {

/// The operands of a matrix product. A [M, K] stands at the left of C [M, N] and B [K, N] above it, so that rows and
/// columns meet. An operand that is not in registers is null and left out; C is always there.
struct product_picture
{
    const char* title = "";
    const picture* a = nullptr;
    const picture* b = nullptr;
    const picture* c = nullptr;
};

namespace detail {

template <class Sink>
void open_svg(text_out<Sink>& out, int width, int height, const char* title)
{
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"" << width << "\" height=\"" << height
        << "\" viewBox=\"0 0 " << width << ' ' << height << "\">\n<title>";
    write_escaped(out, title);
    out << "</title>\n<style>\n"
           "text{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;fill:#1b2033;"
           "text-anchor:middle}\n"
           ".title{font-size:19px;font-weight:bold;text-anchor:start}\n"
           ".name{font-size:14px;font-weight:bold;text-anchor:start}\n"
           ".note{font-size:12px;fill:#4a5068;text-anchor:start}\n"
           ".axis{font-size:13px;font-style:italic;fill:#4a5068}\n"
           ".tick{font-size:10px;fill:#6a7088}\n"
           ".lane{font-size:11px;font-weight:bold}\n"
           ".register{font-size:9px;fill:#3a4058}\n"
           ".grid{stroke:#fff;stroke-width:1;fill:none}\n"
           ".wave{stroke:#1b2033;stroke-width:1.5;fill:none}\n"
           "</style>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#fff\"/>\n";
    write_foreign_text(out, "title", svg_measure::margin, 36, title);
}

/// Groups of panels in rows on a page, under a title and a few lines of notes and above a legend.
struct svg_page
{
    using m = svg_measure;

    const char* title;
    static_vector<short_text, 6> notes;
    int groups = 1;
    int gap = m::gap; ///< between groups
    int group_width = 0;
    int group_height = 0;

    int across() const { return min(groups, max(1, (m::page + gap) / (group_width + gap))); }
    int down() const { return ceil_div(groups, across()); }
    int top() const { return m::header + notes.size() * m::line + 8; }
    int bottom() const { return top() + down() * (group_height + gap); }
    /// Room for the panels, the legend and every line of text.
    int width() const
    {
        short_text heading;
        text_out(heading) << title;
        int inner = max(across() * (group_width + gap) - gap, 720);
        inner = max(inner, heading.size() * 12);
        for (const short_text& note : notes)
            inner = max(inner, note.size() * 13 / 2);
        return 2 * m::margin + inner;
    }

    /// draw(group, x, y) draws a group whose upper left corner is (x, y).
    template <class Sink, class Draw>
    void draw(text_out<Sink>& out, const svg_tile& legend, Draw&& draw_group) const
    {
        open_svg(out, width(), bottom() + m::legend, title);
        for (int i = 0; i < notes.size(); ++i)
            write_foreign_text(out, "note", m::margin, m::header + i * m::line + 8, notes[i].c_str());
        for (int i = 0; i < groups; ++i)
            draw_group(i, m::margin + i % across() * (group_width + gap), top() + i / across() * (group_height + gap));
        draw_legend(out, legend, m::margin, bottom());
        out << "</svg>\n";
    }
};

/// Adds the notes about a tile below the title, with the operand's name in front of them.
inline void add_notes(svg_page& page, const char* name, const tile_view& view)
{
    short_text summary, part;
    text_out(summary) << name;
    write_summary(summary, view);
    write_drawn_part(part, view);
    page.notes.push_back(summary);
    if (part.size() > 0)
        page.notes.push_back(part);
}

inline short_text slice_name(const char* name, const tile_view& view, int slice)
{
    short_text text;
    text_out out(text);
    out << name;
    if (view.num_x() <= 2)
        return text;
    out << (name[0] != '\0' ? ", " : "");
    write_slice_name(text, view, slice);
    return text;
}

} // namespace detail

/// Draws the tile as SVG: one cell an element, coloured by lane, labelled with its lane (and wave) and register. Cells
/// that several lanes hold are striped. A tile of more than two dimensions is a panel for every slice; of a tile past
/// 64 x 64 the first rows and columns are drawn, and the caption says so.
template <text_sink Sink>
void draw_svg(Sink& sink, const picture& source)
{
    using m = detail::svg_measure;
    const detail::svg_tile tile(source);
    const int top = m::column_numbers + (tile.view.num_x() > 2 ? m::name : 0);
    detail::svg_page page{source.title[0] != '\0' ? source.title : "Tile distribution", {}};
    detail::add_notes(page, "", tile.view);
    page.groups = tile.view.drawn_slices();
    page.group_width = m::row_numbers + tile.width();
    page.group_height = top + tile.height();
    text_out out(sink);
    page.draw(out, tile, [&](int slice, int x, int y) {
        const short_text name = detail::slice_name("", tile.view, slice);
        detail::draw_panel(out, tile, slice, name.c_str(), x + m::row_numbers, y + top);
    });
}

/// Draws the operands of a matrix product, block by block if an instruction has several.
template <text_sink Sink>
void draw_svg(Sink& sink, const product_picture& source)
{
    using m = detail::svg_measure;
    // An operand that is left out is measured as C is, and takes no room on the page.
    long_index_t lanes = 1; // one scale of colours for all, though some operands leave lanes idle
    for (const picture* p : {source.a, source.b, source.c})
        if (p && detail::num_lanes(p->encoding) > lanes)
            lanes = detail::num_lanes(p->encoding);
    detail::svg_tile a(source.a ? *source.a : *source.c, lanes);
    detail::svg_tile b(source.b ? *source.b : *source.c, lanes);
    detail::svg_tile c(*source.c, lanes);
    detail::svg_tile* const tiles[] = {&a, &b, &c};
    int cell_width = 0;
    for (detail::svg_tile* tile : tiles)
        cell_width = max(cell_width, tile->cell_width);
    for (detail::svg_tile* tile : tiles)
        tile->widen(cell_width);
    const int top = m::name + m::column_numbers;
    const int left = source.a ? m::row_numbers + a.width() + m::gap : 0;
    const int above = source.b ? top + b.height() + m::gap : 0;

    detail::svg_page page{source.title, {}};
    if (source.a)
        detail::add_notes(page, "A: ", a.view);
    if (source.b)
        detail::add_notes(page, "B: ", b.view);
    detail::add_notes(page, "C: ", c.view);
    page.gap = 2 * m::gap;
    page.groups = c.view.drawn_slices();
    for (detail::svg_tile* tile : tiles)
        page.groups = min(page.groups, tile->view.drawn_slices());
    page.group_width = left + m::row_numbers + c.width();
    page.group_height = above + top + c.height();
    text_out out(sink);
    page.draw(out, c, [&](int block, int x, int y) {
        const int row = y + above + top;
        const int column = x + left + m::row_numbers;
        auto panel = [&](const char* name, const detail::svg_tile& tile, int tile_x, int tile_y) {
            const short_text full = detail::slice_name(name, tile.view, block);
            detail::draw_panel(out, tile, block, full.c_str(), tile_x, tile_y);
        };
        if (source.a)
            panel("A", a, x + m::row_numbers, row);
        if (source.b)
            panel("B", b, column, y + top);
        panel("C", c, column, row);
    });
}

} // namespace tegula
