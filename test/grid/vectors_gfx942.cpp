#include "test/tensor/vectors.hpp"

TEST_CASE("operations on tiles of random distributions on gfx942", "[tensor]")
{
    check_random_vectors<arch::gfx942, 104>(std::make_integer_sequence<int, 3>{});
}

TEST_CASE("operations on tiles with long digits on gfx942", "[tensor]") { check_long_digits<arch::gfx942>(); }
