#include "test/grid/gemm_products.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx1250;

TEST_CASE("gfx1250: plain and grouped products of e4m3, every size", "[gemm]")
{
    check_product_grid<target, float8_e4m3, float>();
}

TEST_CASE("gfx1250: plain and grouped products of e5m2, every size", "[gemm]")
{
    check_product_grid<target, float8_e5m2, float>();
}

TEST_CASE("gfx1250: plain and grouped products of int8, every size", "[gemm]")
{
    check_product_grid<target, std::int8_t, std::int32_t>();
}
