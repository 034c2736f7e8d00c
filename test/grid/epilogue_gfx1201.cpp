#include "test/kernel/gemm/epilogue/epilogue.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx1201;

TEST_CASE("gfx1201: scales, residual, activation, limits, three outputs, fp8 result", "[gemm]")
{
    check_epilogues<gemm_tiles<target, bfloat16>::t64x64, float8_e4m3, half>(epilogue_cases(quarter::fourth));
}

TEST_CASE("gfx1201: integer products scaled in float, int8 result, of stream-K", "[gemm]")
{
    check_epilogues<gemm_tiles<target, std::int8_t>::t64x64, std::int8_t, half, shared_form<stream_k_gemm>>(
        epilogue_cases(quarter::second));
}

TEST_CASE("gfx1201: floats that an epilogue reads and writes beside bf16 results, each sector once", "[gemm]")
{
    check_wider_operands<gemm_tiles<target, bfloat16>::t64x64, bfloat16>();
}

TEST_CASE("gfx1201: epilogues of every size", "[.full]")
{
    check_epilogues<gemm_tiles<target, bfloat16>::t64x64, float8_e4m3, half>(epilogue_grid());
    check_epilogues<gemm_tiles<target, std::int8_t>::t64x64, std::int8_t, half, shared_form<stream_k_gemm>>(
        epilogue_grid());
}
