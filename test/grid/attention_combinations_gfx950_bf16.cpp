#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;

TEST_CASE("gfx950: attention of bf16 in every two forms", "[attention]")
{
    combinations<tegula::arch::gfx950>::check_bfloat16();
}
