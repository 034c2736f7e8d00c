#include "test/grid/gemm_hopper.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

TEST_CASE("sm_90a: every warp-specialised tile, tf32", "[gemm][hopper]") { check_hopper_grid<tfloat32, float, k, k>(); }

TEST_CASE("sm_90a: every warp-specialised tile, tf32, bf16 result in odd rows", "[gemm][hopper]")
{
    check_hopper_grid<tfloat32, bfloat16, k, k, c_layout::odd_rows>();
}
