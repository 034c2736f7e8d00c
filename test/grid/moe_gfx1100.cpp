#include "test/kernel/moe/moe.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("gfx1100: mixture of experts, bf16", "[moe]")
{
    using t32x128 = gemm_tiles<arch::gfx1100, bfloat16>::t32x128;
    for (const moe_case& f : {moe_case{70, 24, 16, 8, 2, 0}, {9, 130, 33, 40, 3, 2}})
        check_moe<t32x128>(f);
}

TEST_CASE("gfx1100: the sum of a token's experts is read and written 16 bytes a lane, each sector once", "[moe]")
{
    check_combines<arch::gfx1100>();
}
