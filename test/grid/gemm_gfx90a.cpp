#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx90a;

TEST_CASE("gfx90a: large tile, bf16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, bfloat16>::t128x128, bfloat16, k_contiguous, row_contiguous>(quarter::third);
}

TEST_CASE("gfx90a: flat tile, f16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, half>::t32x128, half, row_contiguous, k_contiguous>(quarter::fourth);
}

TEST_CASE("gfx90a: 8-bit integers are exact", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, std::int8_t>::t128x128, std::int32_t, k_contiguous, k_contiguous>(
        quarter::first);
}
