#include "convert_random.hpp"

TEST_CASE("conversions of random pairs on gfx1100", "[tensor]")
{
    check_random_pairs<arch::gfx1100, 200>(std::make_integer_sequence<int, 8>{});
}

TEST_CASE("accesses narrower than a word conflict as often as planned, wherever in the word they begin", "[tensor]")
{
    using source =
        tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<4, 8, 12>>, tuple<sequence<1, 1>>,
                                                     tuple<sequence<1, 0>>, sequence<1>, sequence<2>>>;
    using destination =
        tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<4, 12, 4, 2>>, tuple<sequence<1, 1, 1>>,
                                                     tuple<sequence<3, 2, 0>>, sequence<1>, sequence<1>>>;
    check_pair<arch::gfx1100, std::uint16_t, source, destination, true>();
    check_pair<arch::gfx1100, std::uint8_t, source, destination, true>();
}
