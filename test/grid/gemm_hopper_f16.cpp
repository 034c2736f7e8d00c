#include "test/grid/gemm_hopper.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

TEST_CASE("sm_90a: every warp-specialised tile, f16 A along m, f32 result", "[gemm][hopper]")
{
    check_hopper_grid<half, float, mn, k>();
}

TEST_CASE("sm_90a: every warp-specialised tile, f16 A along m, B along n, f16 result in odd rows", "[gemm][hopper]")
{
    check_hopper_grid<half, half, mn, mn, c_layout::odd_rows>();
}
