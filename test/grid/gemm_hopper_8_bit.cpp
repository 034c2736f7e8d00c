#include "test/grid/gemm_hopper.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

TEST_CASE("sm_90a: every warp-specialised tile, fp8 e4m3, bf16 result", "[gemm][hopper]")
{
    check_hopper_grid<float8_e4m3, bfloat16, k, k>();
}

TEST_CASE("sm_90a: every warp-specialised tile, fp8 e5m2, fp8 result in odd rows", "[gemm][hopper]")
{
    check_hopper_grid<float8_e5m2, float8_e4m3, k, k, c_layout::odd_rows>();
}

TEST_CASE("sm_90a: every warp-specialised tile, int8", "[gemm][hopper]")
{
    check_hopper_grid<std::int8_t, std::int32_t, k, k>();
}
