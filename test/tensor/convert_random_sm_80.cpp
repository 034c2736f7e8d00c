#include "convert_random.hpp"

TEST_CASE("conversions of random pairs on sm_80", "[tensor]")
{
    check_random_pairs<arch::sm_80, 300>(std::make_integer_sequence<int, 14>{});
}
