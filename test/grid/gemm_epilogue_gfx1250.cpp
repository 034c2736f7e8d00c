#include "test/kernel/gemm/epilogue/epilogue.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx1250;

TEST_CASE("gfx1250: scales, residual, activation, limits, three outputs, fp8 result", "[gemm]")
{
    check_epilogues<gemm_tiles<target, bfloat16>::t64x64, float8_e4m3, half>(epilogue_cases(quarter::all));
}

TEST_CASE("gfx1250: integer products scaled in float, int8 result, of split-K", "[gemm]")
{
    check_epilogues<gemm_tiles<target, std::int8_t>::t64x64, std::int8_t, half, shared_form<split_k_gemm>>(
        epilogue_cases(quarter::all));
}
