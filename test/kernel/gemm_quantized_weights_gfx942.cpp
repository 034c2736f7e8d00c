#include "test/kernel/gemm_quantized_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;

TEST_CASE("gfx942: int8 weights with column scales by bf16", "[gemm]")
{
    check_quantized_weights<gemm_tiles<target, bfloat16>::t64x64, quantized<std::int8_t>, k_contiguous, k_contiguous>(
        quarter::second);
}

TEST_CASE("gfx942: int4 weights in groups of 32 by f16", "[gemm]")
{
    check_quantized_weights<gemm_tiles<target, half>::t32x128, quantized<int4x2, 32, half>, k_contiguous, k_contiguous>(
        quarter::third);
}

TEST_CASE("gfx942: int4 weights in groups of 128, rows of n, by bf16", "[gemm]")
{
    check_quantized_weights<gemm_tiles<target, bfloat16>::t128x128, quantized<int4x2, 128>, k_contiguous,
                            row_contiguous>(quarter::fourth);
}

TEST_CASE("gfx942: quantised weights of every size", "[.full]")
{
    check_quantized_weights<gemm_tiles<target, bfloat16>::t64x64, quantized<std::int8_t>, k_contiguous, k_contiguous>(
        grid_cases(k_contiguous, k_contiguous));
    check_quantized_weights<gemm_tiles<target, half>::t32x128, quantized<int4x2, 32, half>, k_contiguous, k_contiguous>(
        grid_cases(k_contiguous, k_contiguous));
    check_quantized_weights<gemm_tiles<target, bfloat16>::t128x128, quantized<int4x2, 128>, k_contiguous,
                            row_contiguous>(grid_cases(k_contiguous, row_contiguous));
}
