#include "test/kernel/gemm_split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;
using tile = gemm_tiles<target, bfloat16>::medium;

TEST_CASE("gfx942: stream-K, bf16, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_shared_k_cases<stream_k_gemm, tile, row_contiguous, k_contiguous, float>(split_sizes(), worker_counts());
}

TEST_CASE("gfx942: stream-K, bf16 result", "[gemm]")
{
    using large = gemm_tiles<target, bfloat16>::large;
    check_shared_k_cases<stream_k_gemm, large, k_contiguous, k_contiguous, bfloat16>(few_split_sizes(),
                                                                                     worker_counts());
}

TEST_CASE("gfx942: stream-K repeats bit by bit", "[gemm]")
{
    using kernel = gemm_kernels<tile, float, test_epilogue<float>::type>::element_wise;
    check_repeats<stream_k_gemm<kernel>>(repeated_case(), 7);
}

TEST_CASE("stream-K: one product, any number of blocks", "[gemm]")
{
    using kernel = gemm_kernels<tile, float, test_epilogue<float>::type>::element_wise;
    // 6 tiles of 5 steps: fewer blocks than tiles, as many, a few more, a step each, more than there are steps.
    for (index_t workers = 1; workers < 32; ++workers) {
        gemm_case what = repeated_case();
        what.batch = 1;
        check_shared_k<stream_k_gemm<kernel>>(what, workers);
    }
}
