#include "test/kernel/gemm/forms/grouped_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_80;

TEST_CASE("sm_80: grouped GEMM, f16, over pairs of sizes, strides and epilogues in a few launches", "[gemm]")
{
    check_grouped<gemm_tiles<target, half>::t64x64, k_contiguous, row_contiguous, float>(quarter::second);
}
