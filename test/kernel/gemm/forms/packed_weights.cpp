#include "test/kernel/gemm/forms/packed_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

using by_warps = gemm_tiles<arch::sm_80, bfloat16>;
using by_waves = gemm_tiles<arch::gfx942, bfloat16>;
using int4_groups = quantized<int4x2, 128, half>;
using zero_points = quantized<uint4x2, 64, float, std::uint8_t>;

TEST_CASE("sm_80: packed int4 weights in groups of 128 by bf16, in parts of k", "[gemm]")
{
    check_few_rows<by_warps::t16x128_packed, int4_groups, k_contiguous>();
    check_weights_in_parts<by_warps::t16x128_packed, int4_groups, k_contiguous, k_contiguous>();
}
TEST_CASE("gfx942: packed uint4 weights with zero points in groups of 64 by bf16", "[gemm]")
{
    check_few_rows<by_waves::t32x128_packed, zero_points, k_contiguous>();
}
