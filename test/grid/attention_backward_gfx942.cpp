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

TEST_CASE("attention backward on gfx942: plain scores of many columns, near and far", "[attention]")
{
    check_gradients_of_plain_scores<target>();
}
