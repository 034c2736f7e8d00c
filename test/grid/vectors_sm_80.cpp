#include "test/tensor/vectors.hpp"

TEST_CASE("operations on tiles of random distributions on sm_80", "[tensor]")
{
    check_random_vectors<arch::sm_80, 302>(std::make_integer_sequence<int, 3>{});
}
