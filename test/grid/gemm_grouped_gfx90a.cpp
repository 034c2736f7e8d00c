#include "test/kernel/gemm/forms/grouped_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx90a;

TEST_CASE("gfx90a: grouped GEMM, 8-bit integers, over pairs of sizes, strides and epilogues in a few launches",
          "[gemm]")
{
    check_grouped<gemm_tiles<target, std::int8_t>::t64x64, k_contiguous, k_contiguous, std::int32_t>(quarter::first);
}

TEST_CASE("gfx90a: grouped GEMM, f32, over pairs of sizes, strides and epilogues in a few launches", "[gemm]")
{
    check_grouped<gemm_tiles<target, float>::t64x64, k_contiguous, row_contiguous, float>(quarter::second);
}
