#include "test/grid/attention_combinations.hpp"

using namespace tegula::test;

TEST_CASE("sm_120a: attention of f16 in every two forms", "[attention]")
{
    combinations<tegula::arch::sm_120a>::check_half();
}
