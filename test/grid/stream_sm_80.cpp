#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_80;

TEST_CASE("sm_80: stream-K, f16, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_stream_k<gemm_tiles<target, half>::t64x64, k_contiguous, row_contiguous, half>(quarter::first);
}

TEST_CASE("sm_80: stream-K, f16, whose sums touch no sector twice", "[gemm]")
{
    check_sum_sectors<stream_k_gemm, gemm_tiles<target, half>::t64x64, half>();
    check_sum_sectors<stream_k_gemm, gemm_tiles<target, half>::t64x64, float>();
}
