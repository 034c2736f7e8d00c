#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx950;

TEST_CASE("gfx950: split-K, bf16, over all pairs of sizes, strides and epilogues", "[gemm]")
{
    check_split_k<gemm_tiles<target, bfloat16>::t64x64, k_contiguous, row_contiguous, bfloat16>(quarter::all);
}

TEST_CASE("gfx950: split-K, f32, over all pairs of sizes, strides and epilogues", "[gemm]")
{
    check_split_k<gemm_tiles<target, float>::t32x128, row_contiguous, k_contiguous, float>(quarter::all);
}

TEST_CASE("gfx950: stream-K, fp8, over all pairs of sizes, strides and epilogues", "[gemm]")
{
    check_stream_k<gemm_tiles<target, float8_e4m3>::t128x128, k_contiguous, k_contiguous, bfloat16>(quarter::all);
}
