#include "test/kernel/gemm/epilogue/epilogue.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_90a;

TEST_CASE("sm_90a: scales, residual, activation, limits, three outputs, fp8 result", "[gemm]")
{
    check_epilogues<gemm_tiles<target, bfloat16>::t64x64, float8_e4m3, half>(epilogue_cases(quarter::first));
}

TEST_CASE("sm_90a: integer products scaled in float, int8 result", "[gemm]")
{
    check_epilogues<gemm_tiles<target, std::int8_t>::t64x64, std::int8_t, half>(epilogue_cases(quarter::second));
}

TEST_CASE("sm_90a: epilogues of every size", "[.full]")
{
    check_epilogues<gemm_tiles<target, bfloat16>::t64x64, float8_e4m3, half>(epilogue_grid());
    check_epilogues<gemm_tiles<target, std::int8_t>::t64x64, std::int8_t, half>(epilogue_grid());
}
