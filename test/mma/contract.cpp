// contract() on one target of each kind; more seeds are in test/grid.

#include "contract.hpp"

using namespace tegula::test;

TEST_CASE("a product of tiles of random distributions on gfx942", "[mma]")
{
    check_random_factors<arch::gfx942, half, 16>(); // [16, 8], two waves
}
TEST_CASE("a product of tiles of random distributions on gfx1100", "[mma]")
{
    check_random_factors<arch::gfx1100, half, 33>(); // [8, 4], one wave
}
TEST_CASE("a product of tiles that becomes a random one on sm_80", "[mma]")
{
    check_random_result<arch::sm_80, bfloat16, 25>(); // [24, 8], three waves
}
