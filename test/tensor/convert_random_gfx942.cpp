#include "convert_random.hpp"

TEST_CASE("conversions of random pairs on gfx942", "[tensor]")
{
    check_random_pairs<arch::gfx942, 100>(std::make_integer_sequence<int, 14>{});
}
