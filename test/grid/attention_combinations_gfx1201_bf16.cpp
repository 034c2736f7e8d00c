#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;

TEST_CASE("gfx1201: attention of bf16 in every two forms", "[attention]")
{
    combinations<tegula::arch::gfx1201>::check_bfloat16();
}
