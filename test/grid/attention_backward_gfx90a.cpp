#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx90a;

TEST_CASE("attention backward on gfx90a: f16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_half();
}

TEST_CASE("attention backward on gfx90a: bf16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_bfloat16();
}
