#pragma once

#include <tegula/chip/bank_conflicts.hpp>
#include <tegula/drawing/draw.hpp>
#include <tegula/drawing/draw_palette.hpp>
#include <tegula/drawing/page/algebra.hpp>
#include <tegula/drawing/page/style.hpp>
#include <tegula/drawing/page/view.hpp>

namespace tegula {

/// The contents of a page: one tile, the operands of an instruction, or two distributions of one tile to compare.
struct html_page
{
    static constexpr int max_tiles = 3;

    const char* title = "Tile distribution";
    const char* note = "";
    static_vector<const picture*, max_tiles> tiles;
    const char* plan = "";       ///< with two tiles: how the one becomes the other
    const char* chip = "gfx942"; ///< initial choice, for banks and the size of a wave
    int element_bits = 16;       ///< initial choice
};

namespace detail {

/// A string of JSON, safe inside a script element.
template <class Sink>
void write_json_string(text_out<Sink>& out, const char* text)
{
    constexpr const char* hex = "0123456789abcdef";
    out << '"';
    for (; *text != '\0'; ++text) {
        const auto c = static_cast<unsigned char>(*text);
        if (c < 0x20 || c == '"' || c == '\\' || c == '<')
            out << "\\u00" << hex[c >> 4] << hex[c & 15];
        else
            out << *text;
    }
    out << '"';
}

template <class Sink>
void write_html_rules(Sink& sink, const chip_info& chip, access_kind kind)
{
    text_out out(sink);
    const char* separator = "{";
    for (int bytes = 1; bytes <= 16; bytes *= 2) {
        const bank_rule rule = find_bank_rule(chip, kind, bytes);
        out << separator << '"' << bytes << "\":{\"banks\":" << rule.banks
            << ",\"published\":" << (rule.published ? "true" : "false") << ",\"lanes\":[";
        out.list(rule.phases, ",", [&](int i) { out << rule.lanes[i]; });
        out << "]}";
        separator = ",";
    }
    out << '}';
}

template <class Sink>
void write_html_tile(Sink& sink, const picture& tile)
{
    text_out out(sink);
    out << "{\"title\":";
    write_json_string(out, tile.title);
    short_text note;
    write_summary(note, tile_view(tile));
    out << ",\"note\":";
    write_json_string(out, note.c_str());
    out << ",\"registerStride\":" << tile.register_stride << ",\"registerOffset\":" << tile.register_offset
        << ",\"axes\":[";
    out.list(tile.encoding.num_x(), ",", [&](int i) { write_json_string(out, tile.axes[i]); });
    out << "],\"encoding\":";
    write_json(sink, tile.encoding);
    out << '}';
}

template <class Sink>
void write_html_colours(text_out<Sink>& out)
{
    constexpr const char* hex = "0123456789abcdef";
    out << '[';
    out.list(palette_steps, ",", [&](int step) {
        out << '[';
        out.list(palette_tints, ",", [&](int tint) {
            const colour c = palette(step, palette_steps, tint);
            out << "\"#";
            const int parts[] = {c.red, c.green, c.blue};
            for (int part : parts)
                out << hex[part >> 4] << hex[part & 15];
            out << '"';
        });
        out << ']';
    });
    out << ']';
}

template <class Sink>
void write_html_data(Sink& sink, const html_page& page)
{
    text_out out(sink);
    out << "{\"title\":";
    write_json_string(out, page.title);
    out << ",\"note\":";
    write_json_string(out, page.note);
    out << ",\"plan\":";
    write_json_string(out, page.plan);
    out << ",\"chip\":\"" << page.chip << "\",\"bits\":" << page.element_bits << ",\"tiles\":[";
    out.list(page.tiles.size(), ",\n", [&](int i) { write_html_tile(sink, *page.tiles[i]); });
    out << "],\n\"colours\":";
    write_html_colours(out);
    out << ",\n\"chips\":{";
    const char* separator = "";
    for (const chip_info* chip : chip::all) {
        out << separator << '"' << chip->name << "\":{\"wave\":" << chip->wave_size << ",\"load\":";
        write_html_rules(sink, *chip, access_kind::load);
        out << ",\"store\":";
        write_html_rules(sink, *chip, access_kind::store);
        out << '}';
        separator = ",\n";
    }
    out << "}}";
}

} // namespace detail

/// Writes one self-contained HTML page. It shows the owners of the element under the pointer, and all that a lane
/// holds. It steps through the accesses of a wave with the sectors and banks they touch, and compares two distributions
/// of one tile. Nothing is loaded from elsewhere. Tiles past 64 x 64 are shown in parts.
template <text_sink Sink>
void draw_html(Sink& sink, const html_page& page)
{
    text_out out(sink);
    out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<link rel=\"icon\" href=\"data:,\">\n<title>tegula</title>\n<style>"
        << internal::html_style << "</style>\n</head>\n<body>\n<script type=\"application/json\" id=\"data\">\n";
    detail::write_html_data(sink, page);
    out << "\n</script>\n<script>" << internal::html_algebra << "</script>\n<script>" << internal::html_view
        << "</script>\n</body>\n</html>\n";
}

} // namespace tegula
