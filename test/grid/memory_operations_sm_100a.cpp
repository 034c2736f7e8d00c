// Masked and atomic accesses of more random tiles.
#include "test/tensor/memory_operations.hpp"

TEST_CASE("masked and atomic accesses of random tiles on sm_100a", "[.full]")
{
    check_random_memory<arch::sm_100a, 240>(std::make_integer_sequence<int, 2>{});
}
