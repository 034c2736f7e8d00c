#include "test/kernel/gemm/forms/quantized_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;

using bytes =
    quantized_weights_check<gemm_tiles<target, bfloat16>::t64x64, quantized<std::int8_t>, k_contiguous, k_contiguous>;
using groups_of_128 =
    quantized_weights_check<gemm_tiles<target, bfloat16>::t128x128, quantized<uint4x2, 128, float, std::uint8_t>,
                            k_contiguous, row_contiguous>;

TEST_CASE("gfx942: int8 weights with column scales by bf16", "[gemm]") { bytes::run(quarter::second); }

TEST_CASE("gfx942: uint4 weights with zero points in groups of 128, rows of n, by bf16", "[gemm]")
{
    groups_of_128::run(quarter::fourth);
}
