#include "test/kernel/convolution/convolution.hpp"
#include "test/kernel/moe/moe.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;
using t64x64 = gemm_tiles<arch::gfx1250, bfloat16>::t64x64;

TEST_CASE("gfx1250: convolution in all three directions", "[convolution]")
{
    check_convolutions<forward, 2, t64x64>(quarter::all);
    check_convolutions<backward_data, 2, t64x64>(quarter::all);
    check_convolutions<backward_weight, 2, t64x64>(quarter::all);
}

TEST_CASE("gfx1250: mixture of experts", "[moe]")
{
    for (const moe_case& f : {moe_case{37, 24, 40, 5, 2, 0},
                              {1, 16, 8, 1, 1, 0},
                              {130, 8, 72, 3, 3, 1},
                              {65, 5, 7, 70, 4, 2},
                              {0, 8, 8, 4, 2, 0},
                              {3, 8, 0, 4, 2, 0},
                              {33, 16, 24, 300, 8, 0}})
        check_moe<t64x64>(f);
}
