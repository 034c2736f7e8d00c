#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;

TEST_CASE("sm_89: attention of bf16 in every two forms", "[attention]")
{
    combinations<tegula::arch::sm_89>::check_bfloat16();
}
