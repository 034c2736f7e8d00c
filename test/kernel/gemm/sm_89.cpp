#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_89;

TEST_CASE("sm_89: fp8 GEMM, every kernel of a tile, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_all_kernels<gemm_tiles<target, float8_e4m3>::t64x64, float>();
}

TEST_CASE("sm_89: fp8 GEMM, every size and order", "[.full]")
{
    check_all_sizes<gemm_tiles<target, float8_e4m3>::t64x64, float>();
}

TEST_CASE("sm_89: fp8 e5m2, large tile, bf16 result", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, float8_e5m2>::t128x128, bfloat16, k_contiguous, k_contiguous>(quarter::second);
}

TEST_CASE("sm_89: 8-bit integers, wide tile", "[gemm]")
{
    using tile = gemm_tiles<target, std::int8_t>::t128x256;
    check_cases<gemm_kernels<tile, std::int32_t, epilogue::none>, std::int8_t, std::int32_t>(
        aligned_gemm_cases(few_gemm_sizes(), row_contiguous, row_contiguous));
}
