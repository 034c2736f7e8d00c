#include "convert_random.hpp"

TEST_CASE("conversions of random pairs on gfx1100", "[tensor]")
{
    check_random_pairs<arch::gfx1100, 200>(std::make_integer_sequence<int, 14>{});
}
