// Drawings: who holds which cell, in text and in SVG.

#include "test/catch.hpp"
#include "test/layout/random_encoding.hpp"

#include <tegula/drawing/draw_ascii.hpp>
#include <tegula/drawing/draw_svg.hpp>
#include <tegula/layout/encoding.hpp>

#include <cmath>
#include <sstream>
#include <string>

namespace {

using namespace random_encodings;
using tegula::picture;
using tegula::sequence;
using tegula::tile_distribution_encoding;
using tegula::tile_view;
using tegula::tuple;

using waves_and_lanes =
    tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<2, 2>>, tuple<sequence<1>, sequence<2>>,
                               tuple<sequence<0>, sequence<0>>, sequence<2>, sequence<1>>;
using copies = tile_distribution_encoding<sequence<2>, tuple<sequence<2>, sequence<3>>, tuple<sequence<0, 2>>,
                                          tuple<sequence<0, 0>>, sequence<1>, sequence<0>>;

std::string ascii(const picture& p)
{
    std::ostringstream out;
    draw_ascii(out, p);
    return out.str();
}

template <class Picture>
std::string svg(const Picture& p)
{
    std::ostringstream out;
    draw_svg(out, p);
    return out.str();
}

int count(const std::string& text, const std::string& part)
{
    int n = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
        ++n;
    return n;
}

std::string holders(const encoding_value& e, int slice = 0, int row = 0, int column = 0)
{
    std::ostringstream out;
    const tile_view view{picture{e}};
    write_holders(out, view, view.holder(slice, row, column));
    return out.str();
}

TEST_CASE("a table names wave, lane and register of every element", "[draw]")
{
    CHECK(ascii(picture{waves_and_lanes::value, "tile"}) == "tile: 2 x 4 over 2 waves of 2 lanes, 2 elements a lane\n"
                                                            "cell = wave, lane, register, x0 down, x1 to the right\n"
                                                            "            0         1         2         3\n"
                                                            "0 |  w0 l0 r0  w0 l0 r1  w0 l1 r0  w0 l1 r1\n"
                                                            "1 |  w1 l0 r0  w1 l0 r1  w1 l1 r0  w1 l1 r1\n");
    CHECK(ascii(picture{copies::value, "", "f16", {"m", "k"}}) ==
          "2 x 3 over 6 lanes, 2 elements a lane, every element held 2 times; f16\n"
          "cell = lane:register, m down, k to the right\n"
          "         0      1      2\n"
          "0 |  0,3:0  1,4:0  2,5:0\n"
          "1 |  0,3:1  1,4:1  2,5:1\n");
}

TEST_CASE("registers are numbered as the picture says", "[draw]")
{
    picture p{copies::value};
    p.register_stride = 2;
    p.register_offset = 1;
    CHECK(ascii(p).find("1 |  0,3:3") != std::string::npos);
}

TEST_CASE("one dimension is a row, more than two are slices", "[draw]")
{
    encoding_value line;
    line.hs.push_back({3});
    line.ps.push_back({rh_digit{1, 0}});
    CHECK(ascii(picture{line}).find("0 |  0:0  1:0  2:0\n") != std::string::npos);

    encoding_value cube;
    for (int i = 0; i < 3; ++i) {
        cube.hs.push_back({2});
        cube.ys.push_back({i + 1, 0});
    }
    const std::string text = ascii(picture{cube});
    CHECK(text.find("x0 = 0\n") != std::string::npos);
    CHECK(text.find("x0 = 1\n       0    1\n0 |  0:4  0:5\n1 |  0:6  0:7\n") != std::string::npos);
    CHECK(count(svg(picture{cube}), "class=\"name\"") == 2);

    const encoding_value scalar{};
    CHECK(ascii(picture{scalar}).find("0 |  0:0\n") != std::string::npos);
}

TEST_CASE("every cell of a table is where the encoding puts it", "[draw]")
{
    generator random(31);
    int drawn = 0;
    for (int i = 0; i < 2000; ++i) {
        const encoding_value e = random.valid({2, 3, 300, 2});
        if (e.num_p() != 1 || replication(e) > 1 || !tile_view{picture{e}}.complete())
            continue;
        ++drawn;
        const definition meaning{e};
        std::istringstream lines(ascii(picture{e}));
        std::string line, bar, cell;
        for (int n = 0; n < 3; ++n)
            std::getline(lines, line);
        long_index_t row = -1, cells = 0;
        while (lines >> row >> bar) {
            std::getline(lines, line);
            std::istringstream words(line);
            for (long_index_t column = 0; words >> cell; ++column, ++cells) {
                long_index_t lane = 0, flat = 0;
                char colon = 0;
                std::istringstream(cell) >> lane >> colon >> flat;
                integers y = meaning.y_lengths();
                for (auto n = y.rbegin(); n != y.rend(); ++n) {
                    const long_index_t length = *n;
                    *n = flat % length;
                    flat /= length;
                }
                REQUIRE(meaning.element({lane}, y) == integers{row, column});
            }
        }
        REQUIRE(cells == meaning.x_lengths()[0] * meaning.x_lengths()[1]);
    }
    REQUIRE(drawn > 100);
}

/// One element per lane group; `rs` are replication digits, listed with the H digit last in the lane.
encoding_value replicated(encoding_value::lengths_type rs, encoding_value::digits_type lane, index_t h)
{
    encoding_value e;
    e.rs = rs;
    e.hs.push_back({h});
    e.ps.push_back(lane);
    return e;
}

TEST_CASE("replicas are told compactly", "[draw]")
{
    const rh_digit r0{0, 0}, r1{0, 1}, h{1, 0};
    CHECK(holders(replicated({}, {h}, 4), 0, 0, 3) == "3");
    CHECK(holders(replicated({2}, {r0, h}, 16), 0, 0, 3) == "3,19");
    CHECK(holders(replicated({4}, {r0, h}, 16), 0, 0, 1) == "1,17,33,49");
    CHECK(holders(replicated({8}, {h, r0}, 2), 0, 0, 1) == "8-15");
    CHECK(holders(replicated({2}, {h, r0}, 2), 0, 0, 1) == "2,3");
    CHECK(holders(replicated({3}, {h, r0}, 2), 0, 0, 1) == "3-5");
    CHECK(holders(replicated({8}, {r0, h}, 4), 0, 0, 1) == "1-29/4");
    CHECK(holders(replicated({4, 2}, {r0, r1, h}, 4), 0, 0, 1) == "1-29/4");
    CHECK(holders(replicated({4, 2}, {r0, h, r1}, 4), 0, 0, 1) == "2,3..27");
}

TEST_CASE("P dimensions of length 1 are not told", "[draw]")
{
    using one_wave = tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<>, sequence<1>>,
                                                tuple<sequence<>, sequence<0>>, sequence<>, sequence<>>;
    CHECK(holders(one_wave::value, 0, 0, 2) == "2");
    using one_lane = tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<1>, sequence<>>,
                                                tuple<sequence<0>, sequence<>>, sequence<>, sequence<>>;
    CHECK(holders(one_lane::value, 0, 0, 2) == "2");
    CHECK(ascii(picture{one_lane::value}).find("over 4 waves") != std::string::npos);
    CHECK(ascii(picture{one_lane::value}).find("cell = wave:register") != std::string::npos);
}

TEST_CASE("an SVG has a fill, a lane and a register for every cell", "[draw]")
{
    const std::string text = svg(picture{waves_and_lanes::value, "a <b> & c"});
    CHECK(count(text, "<tspan") == 4 + 2 * 8);
    CHECK(count(text, ">w1 l1</tspan>") == 2);
    CHECK(count(text, ">r1</tspan>") == 4);
    CHECK(count(text, "h42v30h-42z") == 9);
    CHECK(count(text, "<title>a &lt;b&gt; &amp; c</title>") == 1);
    CHECK(text.find("<b>") == std::string::npos);
    CHECK(text.substr(text.size() - 7) == "</svg>\n");
    CHECK(count(text, "<g ") == count(text, "</g>"));
    CHECK(count(text, "<text") == count(text, "</text>"));
    // A cell that two lanes hold has two stripes of half its width; the legend repeats the first cell.
    const std::string striped = svg(picture{copies::value});
    CHECK(count(striped, "M0 0h16v30h-16z") == 2);
    CHECK(count(striped, "M16 0h16v30h-16z") == 2);
}

TEST_CASE("a product is drawn with the operands that are in registers", "[draw]")
{
    const picture c{waves_and_lanes::value, "", "", {"m", "n"}}, a{waves_and_lanes::value, "", "", {"m", "k"}};
    const std::string all = svg(tegula::product_picture{"product", &a, &a, &c});
    const std::string some = svg(tegula::product_picture{"product", &a, nullptr, &c});
    CHECK(count(all, "class=\"name\"") == 3);
    CHECK(count(some, "class=\"name\"") == 2);
    CHECK(count(all, "<tspan") == 3 * 20);
    CHECK(count(some, "<tspan") == 2 * 20);
}

TEST_CASE("of a large tile the first rows and columns are drawn, whole in their inner digits", "[draw]")
{
    encoding_value e;
    e.hs.push_back({16, 4, 3});
    e.hs.push_back({5, 100});
    e.ps.push_back({rh_digit{1, 1}, rh_digit{2, 1}});
    e.ys.push_back({1, 0});
    e.ys.push_back({1, 2});
    e.ys.push_back({2, 0});
    const tile_view view{picture{e}};
    CHECK(view.drawn_rows() == 60);
    CHECK(view.drawn_columns() == 64);
    CHECK_FALSE(view.complete());
    const std::string text = ascii(picture{e});
    CHECK(text.find("drawn: the first 60 of 192 rows, the first 64 of 500 columns") != std::string::npos);
    CHECK(svg(picture{e}).find("drawn: the first 60 of 192 rows") != std::string::npos);
    CHECK(svg(picture{e}).size() < 600000);

    encoding_value deep;
    for (index_t n : {1000, 1000, 8, 8}) {
        deep.hs.push_back({n});
        deep.ys.push_back({deep.num_x(), 0});
    }
    const tile_view slices{picture{deep}};
    CHECK(slices.slices() == 1000000);
    CHECK(slices.drawn_slices() == 64);
}

double luminance(const tegula::colour& c)
{
    auto linear = [](int channel) {
        const double v = channel / 255.0;
        return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}

TEST_CASE("labels can be read on every colour", "[draw]")
{
    const double lane = luminance({0x1b, 0x20, 0x33}), number = luminance({0x3a, 0x40, 0x58});
    for (int steps : {1, 2, 3, 32, 64})
        for (int step = 0; step < steps; ++step)
            for (int tint = 0; tint < tegula::palette_tints; ++tint) {
                const tegula::colour c = tegula::palette(step, steps, tint);
                for (int channel : {c.red, c.green, c.blue})
                    REQUIRE((channel >= 0 && channel <= 255));
                REQUIRE((luminance(c) + 0.05) / (lane + 0.05) > 6);
                REQUIRE((luminance(c) + 0.05) / (number + 0.05) > 4);
                if (step > 0)
                    REQUIRE_FALSE(c == tegula::palette(step - 1, steps, tint));
            }
}

} // namespace
