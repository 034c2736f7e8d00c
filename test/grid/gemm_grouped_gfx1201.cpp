#include "test/kernel/gemm/forms/grouped_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1201;

TEST_CASE("gfx1201: grouped GEMM, fp8, over pairs of sizes, strides and epilogues in a few launches", "[gemm]")
{
    check_grouped<gemm_tiles<target, float8_e4m3>::t64x64, row_contiguous, row_contiguous, bfloat16>(quarter::fourth);
}
