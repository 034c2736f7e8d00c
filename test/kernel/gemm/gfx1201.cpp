#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1201;

TEST_CASE("gfx1201: bf16 GEMM, every kernel of a tile, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_all_kernels<gemm_tiles<target, bfloat16>::t64x64, float>();
}

TEST_CASE("gfx1201: fp8, fp8 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, float8_e4m3>::t64x64, float8_e4m3, row_contiguous, k_contiguous>(
        quarter::second);
}
