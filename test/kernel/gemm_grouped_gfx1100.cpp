#include "test/kernel/gemm_grouped_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1100;
using tile = gemm_tiles<target, half>::medium;
using element_wise = gemm_kernels<tile, float, test_epilogue<float>::type>::element_wise;

TEST_CASE("gfx1100: grouped GEMM of all sizes, orders and epilogues in a few launches", "[gemm]")
{
    check_lists<element_wise>(pairwise_gemm_cases(all_gemm_sizes()));
}

TEST_CASE("gfx1100: grouped GEMM of aligned operands", "[gemm]")
{
    using kernel = gemm_kernels<tile, float, test_epilogue<float>::type>::aligned<k_contiguous, row_contiguous>;
    gemm_sizes sizes = {{1, 65, 130}, {7, 64, 136}, {1, 64, 131}};
    const std::vector<gemm_case> cases = suitable<kernel>(all_gemm_cases(sizes));
    CHECK(cases.size() > 5);
    check_lists<kernel>(cases);
}
