// Masked and atomic accesses of more random tiles.
#include "test/tensor/memory_operations.hpp"

TEST_CASE("masked and atomic accesses of random tiles on gfx1250", "[.full]")
{
    check_random_memory<arch::gfx1250, 240>(std::make_integer_sequence<int, 2>{});
}
