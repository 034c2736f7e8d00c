#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx942;

TEST_CASE("attention backward on gfx942: f16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_half();
}

TEST_CASE("attention backward on gfx942: bf16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_bfloat16();
}
