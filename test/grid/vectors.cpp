// Operations on tiles of more random distributions than test/tensor takes.
#include "test/tensor/parts.hpp"

TEST_CASE("operations on tiles of more random distributions on gfx942", "[.full]")
{
    check_random_vectors<arch::gfx942, 107>(std::make_integer_sequence<int, 4>{});
}
TEST_CASE("operations on tiles of more random distributions on gfx1100", "[.full]")
{
    check_random_vectors<arch::gfx1100, 405>(std::make_integer_sequence<int, 4>{});
}
TEST_CASE("operations on tiles of more random distributions on sm_80", "[.full]")
{
    check_random_vectors<arch::sm_80, 305>(std::make_integer_sequence<int, 4>{});
}
TEST_CASE("parts and transposes of many random tiles on gfx942", "[.full]")
{
    check_random_parts<arch::gfx942, 107>(std::make_integer_sequence<int, 12>{});
}
TEST_CASE("parts and transposes of many random tiles on gfx1100", "[.full]")
{
    check_random_parts<arch::gfx1100, 405>(std::make_integer_sequence<int, 12>{});
}
TEST_CASE("parts and transposes of many random tiles on sm_80", "[.full]")
{
    check_random_parts<arch::sm_80, 305>(std::make_integer_sequence<int, 12>{});
}
