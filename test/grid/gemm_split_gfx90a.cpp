#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx90a;

TEST_CASE("gfx90a: split-K, f32, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_split_k<gemm_tiles<target, float>::t32x128, row_contiguous, k_contiguous, float>(quarter::second);
}
