#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_80;

TEST_CASE("sm_80: split-K, f16, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_split_k<gemm_tiles<target, half>::t64x64, row_contiguous, k_contiguous, float>(quarter::second);
}
