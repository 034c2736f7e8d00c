#include "test/kernel/gemm/far_apart.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;

TEST_CASE("gfx942: bf16 GEMM, every kernel of a tile, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_all_kernels<gemm_tiles<target, bfloat16>::t64x64, float>();
}

TEST_CASE("gfx942: 8-bit integers are exact", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, std::int8_t>::t128x128, std::int32_t, k_contiguous, k_contiguous>(
        quarter::first);
}

TEST_CASE("gfx942: fp8", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, float8_e4m3_fnuz>::t64x64, float, row_contiguous, k_contiguous>(
        quarter::fourth);
}

TEST_CASE("gfx942: rows and matrices gigabytes apart", "[gemm]")
{
    using kernels = gemm_kernels<gemm_tiles<target, bfloat16>::t64x64, float, test_epilogue<float>::type>;
    check_far_apart<kernels::aligned<k_contiguous, row_contiguous>>();
    check_far_apart<kernels::element_wise>();
}
