#include "test/kernel/gemm/forms/packed_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

TEST_CASE("sm_80: packed uint4 weights with zero points in groups of 64 by bf16, whole and in parts of k", "[gemm]")
{
    using tile = weight_tiles<arch::sm_80, bfloat16>::t16x128_packed;
    using zero_points = quantized<uint4x2, 64, float, std::uint8_t>;
    check_few_rows<tile, zero_points, k_contiguous>();
    check_weights_in_parts<tile, zero_points, k_contiguous, k_contiguous>();
}
