#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx950;

TEST_CASE("attention backward on gfx950: f16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_half();
}

TEST_CASE("attention backward on gfx950: bf16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_bfloat16();
}

TEST_CASE("attention backward on gfx950: lengths, plain scores", "[attention]")
{
    check_gradients_of_lengths<target>();
}

TEST_CASE("attention backward on gfx950: plain scores of many columns, near and far", "[attention]")
{
    check_gradients_of_plain_scores<target>();
}
