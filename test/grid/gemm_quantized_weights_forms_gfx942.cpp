#include "test/kernel/gemm/forms/quantized_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;

using bytes =
    quantized_weights_check<gemm_tiles<target, bfloat16>::t64x64, quantized<std::int8_t>, k_contiguous, k_contiguous>;
using groups_of_32 =
    quantized_weights_check<gemm_tiles<target, half>::t32x128, quantized<int4x2, 32, half>, k_contiguous, k_contiguous>;
using groups_of_128 =
    quantized_weights_check<gemm_tiles<target, bfloat16>::t128x128, quantized<uint4x2, 128, float, std::uint8_t>,
                            k_contiguous, row_contiguous>;

TEST_CASE("gfx942: int4 weights in groups of 32 by f16", "[gemm]") { groups_of_32::run(quarter::third); }

TEST_CASE("gfx942: quantised weights of every size", "[.full]")
{
    bytes::run_grid();
    groups_of_32::run_grid();
    groups_of_128::run_grid();
}

TEST_CASE("Weights with zero points in groups, whose k blocks share", "[gemm]")
{
    check_weights_in_parts<gemm_tiles<target, bfloat16>::t64x64, quantized<uint4x2, 128, float, std::uint8_t>,
                           k_contiguous, row_contiguous>();
    check_weights_in_parts<gemm_tiles<arch::sm_90a, bfloat16>::t32x128, quantized<std::int8_t>, k_contiguous,
                           k_contiguous>();
}
