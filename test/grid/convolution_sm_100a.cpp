#include "test/grid/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using t64x64 = gemm_tiles<arch::sm_100a, bfloat16>::t64x64;

TEST_CASE("sm_100a: convolution in all three directions", "[convolution]") { check_convolution_grid<t64x64>(); }

TEST_CASE("sm_100a: mixture of experts", "[moe]") { check_moe_grid<t64x64>(); }
