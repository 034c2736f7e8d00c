#include "test/grid/attention_fp8_combinations.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1201: attention of 8 bits in every form", "[attention]")
{
    check_fp8_combinations<arch::gfx1201, float8_e4m3, float8_e5m2>();
}
