#include "test/kernel/convolution/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;
using t64x64 = gemm_tiles<arch::gfx1201, bfloat16>::t64x64;

TEST_CASE("gfx1201: convolution forward, bf16, two dimensions", "[convolution]")
{
    check_convolutions<forward, 2, t64x64>(quarter::third);
}
TEST_CASE("gfx1201: convolution backward data, bf16, two dimensions", "[convolution]")
{
    check_convolutions<backward_data, 2, t64x64>(quarter::fourth);
}
TEST_CASE("gfx1201: convolution backward weight, bf16, two dimensions", "[convolution]")
{
    check_convolutions<backward_weight, 2, t64x64>(quarter::fourth);
}
