#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;

TEST_CASE("sm_80: attention of bf16 in every two forms", "[attention]")
{
    combinations<tegula::arch::sm_80>::check_bfloat16();
}
