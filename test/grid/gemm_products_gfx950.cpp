#include "test/grid/gemm_products.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx950;

TEST_CASE("gfx950: plain and grouped products of f16, every size", "[gemm]")
{
    check_product_grid<target, half, half>();
}

TEST_CASE("gfx950: plain and grouped products of bf16, every size", "[gemm]")
{
    check_product_grid<target, bfloat16, bfloat16>();
}

TEST_CASE("gfx950: plain and grouped products of f32, every size", "[gemm]")
{
    check_product_grid<target, float, float>();
}
