#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_80;

TEST_CASE("attention backward on sm_80: f16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_half();
}

TEST_CASE("attention backward on sm_80: bf16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_bfloat16();
}
