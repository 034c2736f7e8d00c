#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1100;

TEST_CASE("gfx1100: stream-K, 8-bit integers, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_stream_k<gemm_tiles<target, std::int8_t>::t64x64, row_contiguous, row_contiguous, std::int32_t>(
        quarter::third);
}
