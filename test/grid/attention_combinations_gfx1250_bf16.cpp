#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;

TEST_CASE("gfx1250: attention of bf16 in every two forms", "[attention]")
{
    combinations<tegula::arch::gfx1250>::check_bfloat16();
}
