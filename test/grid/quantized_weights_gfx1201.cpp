#include "test/kernel/gemm/forms/quantized_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1201;

using bytes =
    quantized_weights_check<gemm_tiles<target, half>::t64x64, quantized<std::int8_t>, k_contiguous, row_contiguous>;
using groups_of_48 = quantized_weights_check<gemm_tiles<target, bfloat16>::t128x128, quantized<int4x2, 48, bfloat16>,
                                             k_contiguous, k_contiguous>;

TEST_CASE("gfx1201: int8 weights with column scales by f16", "[gemm]") { bytes::run(quarter::fourth); }
TEST_CASE("gfx1201: int4 weights in groups of 48, some end inside a stage, by bf16", "[gemm]")
{
    groups_of_48::run(quarter::first);
}

TEST_CASE("gfx1201: quantised weights of every size", "[.full]")
{
    bytes::run_grid();
    groups_of_48::run_grid();
}
