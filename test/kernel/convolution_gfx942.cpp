#include "test/kernel/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;
using t64x64 = gemm_tiles<arch::gfx942, half>::t64x64;

TEST_CASE("gfx942: convolution forward, f16, two dimensions", "[convolution]")
{
    check_convolutions<forward, 2, t64x64>(quarter::first);
}
TEST_CASE("gfx942: convolution backward data, f16, two dimensions", "[convolution]")
{
    check_convolutions<backward_data, 2, t64x64>(quarter::second);
}
TEST_CASE("gfx942: convolution backward weight, f16, two dimensions", "[convolution]")
{
    check_convolutions<backward_weight, 2, t64x64>(quarter::third);
}
