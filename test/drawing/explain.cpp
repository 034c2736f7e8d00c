// An encoding in words.

#include "test/catch.hpp"

#include <tegula/drawing/explain.hpp>
#include <tegula/layout/encoding.hpp>

#include <sstream>
#include <string>

namespace {

using namespace tegula;

std::string words_of(const encoding_value& e)
{
    std::ostringstream out;
    explain(out, e);
    return out.str();
}

TEST_CASE("a distribution over waves, lanes and registers is explained", "[explain]")
{
    using operand = tile_distribution_encoding<sequence<>, tuple<sequence<4, 16>, sequence<2, 4, 4>>,
                                               tuple<sequence<1>, sequence<2, 1>>, tuple<sequence<0>, sequence<1, 1>>,
                                               sequence<2, 2>, sequence<0, 2>>;
    CHECK(words_of(operand::value) ==
          "A tile of 64 x 32 over 4 waves of 64 lanes, 8 elements a lane. x0 counts 4 waves, in each of them 16 lanes. "
          "x1 counts 2 registers, in each of them 4 lanes, in each of them 4 registers. Among 64 lanes, lane + 1 is 1 "
          "further along x0 (16 values), lane + 16 is 4 further along x1 (4 values). Among 4 waves, wave + 1 is 16 "
          "further "
          "along x0 (4 values). Among 8 registers, register + 1 is 1 further along x1 (4 values), register + 4 is 16 "
          "further along x1 (2 values). Along x1 a lane holds runs of 4 neighbours, which one vector access can move. "
          "No element is held twice.\n");
}

TEST_CASE("replication and empty dimensions are explained", "[explain]")
{
    using row = tile_distribution_encoding<sequence<4>, tuple<sequence<16>, sequence<1>>, tuple<sequence<0, 1>>,
                                           tuple<sequence<0, 0>>, sequence<2>, sequence<0>>;
    CHECK(
        words_of(row::value) ==
        "A tile of 16 x 1 over 64 lanes, 1 element a lane, every element held 4 times. x0 counts 16 lanes. x1 counts "
        "nothing, its length is 1. Among 64 lanes, lane + 1 is 1 further along x0 (16 values), lane + 16 holds the "
        "same "
        "elements (4 values). Every element is held 4 times; only the replica whose R digits are 0 should write it.\n");
    CHECK(words_of(encoding_value{}) ==
          "A tile of one element over 1 lane, 1 element a lane. No element is held twice.\n");
}

} // namespace
