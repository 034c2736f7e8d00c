#include "test/grid/attention_fp8_combinations.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_90a: attention of 8 bits in every form", "[attention]")
{
    check_fp8_combinations<arch::sm_90a, float8_e4m3, float8_e5m2>();
}
