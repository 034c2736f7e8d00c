#include "test/kernel/gemm/harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_80;

TEST_CASE("sm_80: bf16 GEMM, every kernel of a tile, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_all_kernels<gemm_tiles<target, bfloat16>::t64x64, float>();
}

TEST_CASE("sm_80: 8-bit integers are exact", "[gemm]")
{
    check_two_kernels<gemm_tiles<target, std::int8_t>::t128x128, std::int32_t, k_contiguous, k_contiguous>(
        quarter::third);
}
