// Masked and atomic accesses of more random tiles.
#include "test/tensor/memory_operations.hpp"

TEST_CASE("masked and atomic accesses of many random tiles on sm_80", "[.full]")
{
    check_random_memory<arch::sm_80, 232>(std::make_integer_sequence<int, 16>{});
}
