#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;

TEST_CASE("gfx90a: attention of bf16 in every two forms", "[attention]")
{
    combinations<tegula::arch::gfx90a>::check_bfloat16();
}
