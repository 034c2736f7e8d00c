#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx90a;

TEST_CASE("gfx90a: bf16 GEMM, every kernel of a tile, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_all_kernels<gemm_tiles<target, bfloat16>::t64x64, float>();
}

TEST_CASE("gfx90a: bf16 GEMM, every size and order", "[.full]")
{
    check_all_sizes<gemm_tiles<target, bfloat16>::t64x64, float>();
}

TEST_CASE("gfx90a: f32", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, float>::t32x128, float, row_contiguous, row_contiguous>(quarter::second);
}
