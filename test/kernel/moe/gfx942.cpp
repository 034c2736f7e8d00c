#include "test/kernel/moe/moe.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx942: mixture of experts, bf16", "[moe]")
{
    using t64x64 = gemm_tiles<arch::gfx942, bfloat16>::t64x64;
    for (const moe_case& f : {moe_case{37, 24, 40, 5, 2, 0},
                              {1, 16, 8, 1, 1, 0},
                              {130, 8, 72, 3, 3, 1},
                              {65, 5, 7, 70, 4, 2},
                              {0, 8, 8, 4, 2, 0},
                              {2050, 8, 8, 2, 1, 0},
                              {3, 8, 0, 4, 2, 0}})
        check_moe<t64x64>(f);
}

TEST_CASE("gfx942: gated experts", "[moe]")
{
    using t64x64 = gemm_tiles<arch::gfx942, bfloat16>::t64x64;
    for (const moe_case& f : {moe_case{37, 24, 40, 5, 2, 0}, {65, 5, 7, 70, 4, 2}})
        check_moe<t64x64, true>(f);
}

TEST_CASE("gfx942: the sum of a token's experts is read and written 16 bytes a lane, each sector once", "[moe]")
{
    check_combines<arch::gfx942>();
}
