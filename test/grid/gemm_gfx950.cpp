#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx950;

TEST_CASE("gfx950: fp8 of the Open Compute Project", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, float8_e4m3>::t64x64, float, row_contiguous, k_contiguous>(quarter::second);
}

TEST_CASE("gfx950: 8-bit integers are exact", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, std::int8_t>::t32x128, std::int32_t, k_contiguous, k_contiguous>(
        quarter::third);
}

TEST_CASE("gfx908 and sm_75: f16", "[gemm]")
{
    check_two_kernels<gemm_tiles<arch::gfx908, half>::t64x64, float, k_contiguous, k_contiguous>(quarter::fourth);
    check_two_kernels<gemm_tiles<arch::sm_75, half>::t64x64, float, k_contiguous, row_contiguous>(quarter::fourth);
}
