#include "test/kernel/gemm/forms/scaled.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1250;

TEST_CASE("gfx1250: block-scaled fp8", "[gemm]")
{
    check_block_scaled<block_scaled_tiles<target, float8_e4m3>::t64x64, k_contiguous, k_contiguous>(quarter::all);
}
