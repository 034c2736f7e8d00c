#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1100;

TEST_CASE("gfx1100: large tile, bf16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, bfloat16>::t128x128, bfloat16, k_contiguous, row_contiguous>(quarter::second);
}

TEST_CASE("gfx1100: flat tile, f16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, half>::t32x128, half, row_contiguous, k_contiguous>(quarter::third);
}
