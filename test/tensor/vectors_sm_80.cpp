#include "vectors.hpp"

TEST_CASE("operations on tiles of random distributions on sm_80", "[tensor]")
{
    check_random_vectors<arch::sm_80, 302>(std::make_integer_sequence<int, 3>{});
}

TEST_CASE("operations on tiles with long digits on sm_80", "[tensor]") { check_long_digits<arch::sm_80>(); }
