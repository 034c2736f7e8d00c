#include "test/grid/gemm_forms.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_120a: split-K and stream-K over all pairs of sizes, strides and epilogues", "[gemm]")
{
    check_shared_products<arch::sm_120a>();
}
