#include "test/grid/gemm_hopper.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

TEST_CASE("sm_90a: every warp-specialised tile, bf16 A and B along k, bf16 result", "[gemm][hopper]")
{
    check_hopper_grid<bfloat16, bfloat16, k, k>();
}

TEST_CASE("sm_90a: every warp-specialised tile, bf16 B along n, f32 result in odd rows", "[gemm][hopper]")
{
    check_hopper_grid<bfloat16, float, k, mn, c_layout::odd_rows>();
}
