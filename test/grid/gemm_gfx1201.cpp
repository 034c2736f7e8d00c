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

TEST_CASE("gfx1201: 8-bit integers are exact", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, std::int8_t>::t128x128, std::int32_t, k_contiguous, k_contiguous>(
        quarter::fourth);
}

TEST_CASE("gfx1201: f32", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, float>::t32x128, float, row_contiguous, row_contiguous>(quarter::first);
}

TEST_CASE("gfx1201: bf16 GEMM, every size and order", "[.full]")
{
    check_all_sizes<gemm_tiles<target, bfloat16>::t64x64, float>();
}

TEST_CASE("gfx1201: large tile, bf16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, bfloat16>::t128x128, bfloat16, k_contiguous, row_contiguous>(quarter::second);
}

TEST_CASE("gfx1201: flat tile, f16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, half>::t32x128, half, row_contiguous, k_contiguous>(quarter::third);
}
