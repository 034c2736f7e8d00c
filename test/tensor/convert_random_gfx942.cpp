#include "convert_random.hpp"

TEST_CASE("conversions of random pairs on gfx942", "[tensor]")
{
    check_random_pairs<arch::gfx942, 100>(std::make_integer_sequence<int, 8>{});
}

TEST_CASE("conversions of pairs that take the rarer ways inside waves on gfx942", "[tensor]")
{
    check_random_pair<arch::gfx942, 870, false>();  // lanes take one of two halves, and wave digits choose lanes
    check_random_pair<arch::gfx942, 1419, false>(); // gathered from some lanes of the wave
    check_random_pair<arch::gfx942, 74, false>();   // a digit of 3 is picked by the wave
}
