// Conversions of more random pairs than test/tensor takes.
#include "test/tensor/convert_random.hpp"

TEST_CASE("conversions of more random pairs on gfx1100", "[.full]")
{
    check_random_pairs<arch::gfx1100, 208>(std::make_integer_sequence<int, 6>{});
}
TEST_CASE("conversions of more random pairs on gfx942", "[.full]")
{
    check_random_pairs<arch::gfx942, 108>(std::make_integer_sequence<int, 6>{});
}
TEST_CASE("conversions of more random pairs on sm_80", "[.full]")
{
    check_random_pairs<arch::sm_80, 308>(std::make_integer_sequence<int, 6>{});
}
