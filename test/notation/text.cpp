// Encodings as text.

#include "test/catch.hpp"

#include <tegula/layout/encoding.hpp>
#include <tegula/notation/text.hpp>
#include <tegula/notation/type_text.hpp>

#include <sstream>
#include <string>

namespace {

using namespace tegula;

using example =
    tile_distribution_encoding<sequence<2>, tuple<sequence<4, 3>, sequence<5>>, tuple<sequence<1>, sequence<0, 2>>,
                               tuple<sequence<1>, sequence<0, 0>>, sequence<1>, sequence<0>>;

TEST_CASE("an encoding is written as the type that states it", "[text]")
{
    std::ostringstream out;
    write_type(out, example::value);
    CHECK(out.str() == "tile_distribution_encoding<sequence<2>, tuple<sequence<4, 3>, sequence<5>>, "
                       "tuple<sequence<1>, sequence<0, 2>>, tuple<sequence<1>, sequence<0, 0>>, sequence<1>, "
                       "sequence<0>>");
}

TEST_CASE("the type of an encoding is read as it is written, and as it stands in source", "[text]")
{
    std::ostringstream written, again;
    write_type(written, example::value);
    const auto read = read_type(written.str().c_str());
    REQUIRE(read.ok());
    write_type(again, read.value);
    CHECK(again.str() == written.str());
    const auto same = [&](const std::string& text) {
        const auto from_source = read_type(text.c_str());
        std::ostringstream out;
        if (from_source.ok())
            write_type(out, from_source.value);
        return out.str() == written.str();
    };
    CHECK(same("using tile =\n    tegula::" + written.str() + ";"));
    CHECK(same("tile_distribution<::ns::" + written.str() + ">"));
    CHECK(same("tile_distribution_encoding_of<sequence<2>, tuple<sequence<4, 3>, sequence<5>>, "
               "tuple<tuple<digit<1, 1>>, tuple<tegula::digit<0, 0>, digit<2, 0>>>, tuple<digit<1, 0>>>"));
    const auto why = [](const char* text) { return std::string(read_type(text).error.message()); };
    CHECK(why("tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<1>>, tuple<sequence<0, 1>>, "
              "sequence<>, sequence<>>") == "P has 1 majors and 2 minors; give one minor for each major");
    CHECK(why("tile_distribution_encoding<sequence<4294967296>") ==
          "at character 47, before \">\": a whole number of 32 bits is expected");
    CHECK(why("tile_distribution_encoding_of<sequence<>, tuple<sequence<4>>, tuple<tuple<sequence<1, 0>>>, tuple<>>") ==
          "at character 75, before \"sequence<1,\": digit is expected");
    CHECK(why("sequence<>") == "at character 1, before \"sequence<>\": tile_distribution_encoding< is expected");
}

TEST_CASE("an encoding is written as JSON", "[text]")
{
    std::ostringstream out, empty;
    write_json(out, example::value);
    CHECK(out.str() == R"({"rs":[2],"hs":[[4,3],[5]],"ps":[[[1,1]],[[0,0],[2,0]]],"ys":[[1,0]]})");
    write_json(empty, encoding_value{});
    CHECK(empty.str() == R"({"rs":[],"hs":[],"ps":[],"ys":[]})");
}

TEST_CASE("whole numbers of any size are written", "[text]")
{
    std::ostringstream out;
    text_out(out) << INT64_MIN << ' ' << -1 << ' ' << 0u << ' ' << UINT64_MAX;
    CHECK(out.str() == "-9223372036854775808 -1 0 18446744073709551615");
}

TEST_CASE("a label that does not fit is cut", "[text]")
{
    short_text label;
    text_out(label).repeat('x', 1000);
    CHECK(label.size() == 255);
    CHECK(std::string(label.c_str()) == std::string(255, 'x'));
}

} // namespace
