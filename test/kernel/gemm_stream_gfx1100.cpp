#include "test/kernel/gemm_split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx1100;
using tile = gemm_tiles<target, half>::medium;

TEST_CASE("gfx1100: stream-K, f16, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_shared_k_cases<stream_k_gemm, tile, k_contiguous, row_contiguous, float>(split_sizes(), worker_counts());
}

TEST_CASE("gfx1100: stream-K repeats bit by bit", "[gemm]")
{
    using kernel = gemm_kernels<tile, float, test_epilogue<float>::type>::element_wise;
    check_repeats<stream_k_gemm<kernel>>(repeated_case(), 7);
}
