#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1201;

TEST_CASE("gfx1201: split-K, fp8, bf16 result, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_split_k<gemm_tiles<target, float8_e4m3>::t64x64, k_contiguous, k_contiguous, bfloat16>(quarter::first);
}
