#include "test/kernel/gemm_epilogue.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx1201;

TEST_CASE("gfx1201: scales, residual, activation, limits, two outputs, fp8 result", "[gemm]")
{
    for (const epilogue_case& e : epilogue_cases()) {
        INFO(e.m << " x " << e.n << " x " << e.k);
        check_float_epilogue<gemm_tiles<target, bfloat16>::medium, float8_e5m2, float>(e);
    }
}

TEST_CASE("gfx1201: integer products scaled in float, int8 result", "[gemm]")
{
    for (const epilogue_case& e : epilogue_cases()) {
        INFO(e.m << " x " << e.n << " x " << e.k);
        check_integer_epilogue<gemm_tiles<target, std::int8_t>::medium, float>(e);
    }
}
