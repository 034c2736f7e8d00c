#include "test/grid/gemm_hopper.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

TEST_CASE("sm_90a: lists of products of every warp-specialised tile, bf16, k and n contiguous",
          "[gemm][hopper][grouped]")
{
    check_hopper_lists<bfloat16, bfloat16, k, mn>();
}

TEST_CASE("sm_90a: lists of products of every warp-specialised tile, f16, m and k contiguous",
          "[gemm][hopper][grouped]")
{
    check_hopper_lists<half, float, mn, k, output_store::direct>();
}
