#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;

TEST_CASE("gfx1100: attention of f16 in every two forms", "[attention]")
{
    combinations<tegula::arch::gfx1100>::check_half();
}
