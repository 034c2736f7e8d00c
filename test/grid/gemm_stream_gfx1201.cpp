#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1201;

TEST_CASE("gfx1201: stream-K, fp8, bf16 result, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_stream_k<gemm_tiles<target, float8_e4m3>::t128x128, k_contiguous, k_contiguous, bfloat16>(quarter::fourth);
}
