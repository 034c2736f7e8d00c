#include "test/kernel/gemm/forms/packed_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx950;
using halves = weight_tiles<target, half>;
using bf16 = weight_tiles<target, bfloat16>;

TEST_CASE("gfx950: packed weights of further forms", "[.full]")
{
    check_few_rows<halves::t32x128_packed, quantized<uint4x2, 128, half, bfloat16>, k_contiguous>();
    check_few_rows<bf16::t16x128_packed, quantized<int4x2>, row_contiguous>();
}
