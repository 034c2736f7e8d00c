#include "test/kernel/gemm/forms/quantized_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_80;

using bytes =
    quantized_weights_check<gemm_tiles<target, half>::t64x64, quantized<std::uint8_t>, k_contiguous, row_contiguous>;
using groups_of_64 = quantized_weights_check<gemm_tiles<target, bfloat16>::t128x128,
                                             quantized<int4x2, 64, bfloat16, bfloat16>, k_contiguous, k_contiguous>;

TEST_CASE("sm_80: unsigned int8 weights with column scales by f16", "[gemm]") { bytes::run(quarter::first); }
TEST_CASE("sm_80: int4 weights in groups of 64 by bf16", "[gemm]") { groups_of_64::run(quarter::second); }

TEST_CASE("sm_80: quantised weights of every size", "[.full]")
{
    bytes::run_grid();
    groups_of_64::run_grid();
}
