#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx90a;

TEST_CASE("gfx90a: stream-K, f16, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_stream_k<gemm_tiles<target, half>::t64x64, k_contiguous, k_contiguous, float>(quarter::first);
}

TEST_CASE("gfx90a: stream-K, f32, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_stream_k<gemm_tiles<target, float>::t64x64, row_contiguous, row_contiguous, float>(quarter::second);
}
