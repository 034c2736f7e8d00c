// Masked and atomic accesses of more random tiles.
#include "test/tensor/memory_operations.hpp"

TEST_CASE("masked and atomic accesses of many random tiles on gfx942", "[.full]")
{
    check_random_memory<arch::gfx942, 201>(std::make_integer_sequence<int, 16>{});
}
