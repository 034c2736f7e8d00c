#include "test/kernel/gemm/forms/scaled.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_120a;

TEST_CASE("sm_120a: block-scaled fp8", "[gemm]")
{
    check_block_scaled<block_scaled_tiles<target, float8_e4m3>::t32x128, k_contiguous, k_contiguous>(quarter::all);
}
