#include "test/grid/gemm_hopper.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;

TEST_CASE("sm_90a: lists of products of every warp-specialised tile, fp8 e4m3, bf16 result", "[gemm][hopper][grouped]")
{
    check_hopper_lists<float8_e4m3, bfloat16, k, k>();
}

TEST_CASE("sm_90a: lists of products of every warp-specialised tile, int8", "[gemm][hopper][grouped]")
{
    check_hopper_lists<std::int8_t, std::int32_t, k, k>();
}
