#include "test/kernel/moe/moe.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_80: mixture of experts, f16", "[moe]")
{
    using t64x64 = gemm_tiles<arch::sm_80, half>::t64x64;
    for (const moe_case& f : {moe_case{64, 32, 64, 4, 2, 0}, {33, 16, 24, 300, 8, 0}, {20, 7, 9, 8, 8, 2}})
        check_moe<t64x64>(f);
}

TEST_CASE("sm_80: gated experts", "[moe]")
{
    using t64x64 = gemm_tiles<arch::sm_80, half>::t64x64;
    for (const moe_case& f : {moe_case{37, 24, 40, 5, 2, 0}, {65, 5, 7, 70, 4, 2}})
        check_moe<t64x64, true>(f);
}

TEST_CASE("sm_80: the sum of a token's experts is read and written 16 bytes a lane, each sector once", "[moe]")
{
    check_combines<arch::sm_80>();
}
