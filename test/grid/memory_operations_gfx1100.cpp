// Masked and atomic accesses of more random tiles.
#include "test/tensor/memory_operations.hpp"

TEST_CASE("masked and atomic accesses of many random tiles on gfx1100", "[.full]")
{
    check_random_memory<arch::gfx1100, 215>(std::make_integer_sequence<int, 16>{});
}
TEST_CASE("pairs are added to random tiles on gfx1201", "[.full]")
{
    check_random_pair_additions<arch::gfx1201, bfloat16, 215>(std::make_integer_sequence<int, 8>{});
}
