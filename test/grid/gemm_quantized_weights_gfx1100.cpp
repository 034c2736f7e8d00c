#include "test/kernel/gemm_quantized_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1100;

TEST_CASE("gfx1100: int8 weights with column scales by f16", "[gemm]")
{
    check_quantized_weights<gemm_tiles<target, half>::t64x64, quantized<std::int8_t>, k_contiguous, row_contiguous>(
        quarter::second);
}

TEST_CASE("gfx1100: int4 weights in groups of 64 by bf16", "[gemm]")
{
    check_quantized_weights<gemm_tiles<target, bfloat16>::t128x128, quantized<int4x2, 64, bfloat16>, k_contiguous,
                            k_contiguous>(quarter::third);
}

TEST_CASE("gfx1100: quantised weights of every size", "[.full]")
{
    check_quantized_weights<gemm_tiles<target, half>::t64x64, quantized<std::int8_t>, k_contiguous, row_contiguous>(
        grid_cases(k_contiguous, row_contiguous));
    check_quantized_weights<gemm_tiles<target, bfloat16>::t128x128, quantized<int4x2, 64, bfloat16>, k_contiguous,
                            k_contiguous>(grid_cases(k_contiguous, k_contiguous));
}
