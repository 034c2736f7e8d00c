#include "test/kernel/convolution/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;
using t64x64 = gemm_tiles<arch::sm_80, bfloat16>::t64x64;

TEST_CASE("sm_80: convolution forward, bf16, three dimensions", "[convolution]")
{
    check_convolutions<forward, 3, t64x64>(quarter::second);
}
TEST_CASE("sm_80: convolution backward data, bf16, three dimensions", "[convolution]")
{
    check_convolutions<backward_data, 3, t64x64>(quarter::fourth);
}
TEST_CASE("sm_80: convolution backward weight, bf16, three dimensions", "[convolution]")
{
    check_convolutions<backward_weight, 3, t64x64>(quarter::first);
}
