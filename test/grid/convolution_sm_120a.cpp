#include "test/grid/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using t64x64 = gemm_tiles<arch::sm_120a, half>::t64x64;

TEST_CASE("sm_120a: convolution in all three directions", "[convolution]") { check_convolution_grid<t64x64>(); }

TEST_CASE("sm_120a: mixture of experts", "[moe]") { check_moe_grid<t64x64>(); }
