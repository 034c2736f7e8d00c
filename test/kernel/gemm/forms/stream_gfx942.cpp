#include "test/kernel/gemm/forms/split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;

TEST_CASE("gfx942: stream-K, bf16, over pairs of sizes, strides and epilogues", "[gemm]")
{
    check_stream_k<gemm_tiles<target, bfloat16>::t64x64, row_contiguous, k_contiguous, float>(quarter::third);
}

TEST_CASE("stream-K: one product, any number of blocks", "[gemm]")
{
    using kernel = gemm_kernels<gemm_tiles<target, bfloat16>::t64x64, float, test_epilogue<float>::type>::element_wise;
    // 6 tiles of 5 steps: fewer blocks than tiles, as many, a few more, a step each, more than there are steps.
    for (index_t workers = 1; workers < 32; ++workers) {
        gemm_case what = repeated_case();
        what.batch = 1;
        check_split_k<stream_k_gemm<kernel>>(what, workers);
    }
}
