#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_100a;

TEST_CASE("attention backward on sm_100a: f16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_half();
}

TEST_CASE("attention backward on sm_100a: bf16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_bfloat16();
}
