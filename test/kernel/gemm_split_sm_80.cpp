#include "test/kernel/gemm_split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::sm_80;
using tile = gemm_tiles<target, half>::medium;

TEST_CASE("sm_80: split-K, f16, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_shared_k_cases<split_k_gemm, tile, k_contiguous, k_contiguous, float>(split_sizes(), split_counts());
}

TEST_CASE("sm_80: split-K repeats bit by bit", "[gemm]")
{
    using kernel = gemm_kernels<tile, float, test_epilogue<float>::type>::element_wise;
    check_repeats<split_k_gemm<kernel>>(repeated_case(), 4);
}
