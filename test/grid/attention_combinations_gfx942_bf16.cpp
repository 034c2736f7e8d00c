#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;

TEST_CASE("gfx942: attention of bf16 in every two forms", "[attention]")
{
    combinations<tegula::arch::gfx942>::check_bfloat16();
}
