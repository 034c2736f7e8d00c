#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;

TEST_CASE("gfx942: split-K, bf16, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_split_k<gemm_tiles<target, bfloat16>::t64x64, k_contiguous, row_contiguous, float>(quarter::third);
}

TEST_CASE("gfx942: split-K whose sums touch no sector twice", "[gemm]")
{
    check_sum_sectors<split_k_gemm, gemm_tiles<target, bfloat16>::t64x64, bfloat16>();
    check_sum_sectors<split_k_gemm, gemm_tiles<target, std::int8_t>::t32x128, std::int8_t>();
}
