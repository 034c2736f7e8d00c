#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx1100;

TEST_CASE("attention backward on gfx1100: f16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_half();
}

TEST_CASE("attention backward on gfx1100: bf16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_bfloat16();
}
