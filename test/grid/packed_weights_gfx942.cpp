#include "test/kernel/gemm/forms/packed_weights.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;
using halves = weight_tiles<target, half>;
using bf16 = weight_tiles<target, bfloat16>;

TEST_CASE("gfx942: packed weights of further forms", "[.full]")
{
    check_few_rows<bf16::t32x128_packed, quantized<uint4x2, 64, float, std::uint8_t>, k_contiguous>();
    check_few_rows<bf16::t16x64_packed, quantized<int4x2, 128, half>, k_contiguous>();
    check_few_rows<halves::t16x128_packed, quantized<int4x2, 32, half>, row_contiguous>();
    check_few_rows<bf16::t64x128_packed, quantized<std::int8_t, 256, bfloat16, float>, k_contiguous>();
    check_few_rows<bf16::t16x128_packed, quantized<std::uint8_t>, k_contiguous>();
}
