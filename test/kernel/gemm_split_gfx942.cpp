#include "test/kernel/gemm_split_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;
using target = arch::gfx942;
using tile = gemm_tiles<target, bfloat16>::medium;

TEST_CASE("gfx942: split-K, bf16, over pairs of sizes, orders and epilogues", "[gemm]")
{
    check_shared_k_cases<split_k_gemm, tile, k_contiguous, row_contiguous, float>(split_sizes(), split_counts());
}

TEST_CASE("gfx942: split-K of 8-bit integers is exact", "[gemm]")
{
    using small = gemm_tiles<target, std::int8_t>::flat;
    check_shared_k_cases<split_k_gemm, small, k_contiguous, k_contiguous, std::int32_t>(few_split_sizes(),
                                                                                        split_counts());
}

TEST_CASE("gfx942: split-K repeats bit by bit", "[gemm]")
{
    using kernel = gemm_kernels<tile, float, test_epilogue<float>::type>::element_wise;
    check_repeats<split_k_gemm<kernel>>(repeated_case(), 4);
}
