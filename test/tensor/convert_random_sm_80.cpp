#include "convert_random.hpp"

TEST_CASE("conversions of random pairs on sm_80", "[tensor]")
{
    check_random_pairs<arch::sm_80, 300>(std::make_integer_sequence<int, 8>{});
}

TEST_CASE("conversions of pairs that take the rarer ways inside waves on sm_80", "[tensor]")
{
    check_random_pair<arch::sm_80, 994, false>(); // halves and wave digits
    check_random_pair<arch::sm_80, 163, false>(); // a digit of 3 is picked by the wave
    check_random_pair<arch::sm_80, 53, false>();  // gathered, several registers from one
}
