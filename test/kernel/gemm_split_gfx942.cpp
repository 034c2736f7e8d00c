#include "test/kernel/gemm_split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;
using tile = multistage_tiles<target, bfloat16>::medium;

TEST_CASE("gfx942: split-K, bf16, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_shared_k_cases<split_k_gemm, tile, k_contiguous, row_contiguous, float>(pairwise_gemm_cases(all_gemm_sizes()),
                                                                                  {2, 3, 1, 5, 1000});
}
