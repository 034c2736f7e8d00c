#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx950;

TEST_CASE("gfx950: bf16 GEMM, large tile, over a quarter of the pairs of sizes, orders and epilogues", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, bfloat16>::t128x128, float, k_contiguous, row_contiguous>(quarter::first);
}
