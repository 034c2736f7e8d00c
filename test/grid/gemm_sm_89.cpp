#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_89;

TEST_CASE("sm_89: 8-bit integers are exact", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, std::int8_t>::t32x128, std::int32_t, row_contiguous, k_contiguous>(
        quarter::third);
}

TEST_CASE("sm_89: tf32", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, tfloat32>::t128x128, float, k_contiguous, row_contiguous>(quarter::fourth);
}

TEST_CASE("sm_89: bf16, large tile", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, bfloat16>::t128x128, float, k_contiguous, k_contiguous>(quarter::first);
}

TEST_CASE("sm_89: f16, flat tile, f16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, half>::t32x128, half, row_contiguous, row_contiguous>(quarter::second);
}
