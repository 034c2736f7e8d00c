#include "test/grid/gemm_split_k.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx90a;

TEST_CASE("gfx90a: split-K and stream-K of f16, every size", "[gemm]") { check_split_k_grid<target, half, half>(); }

TEST_CASE("gfx90a: split-K and stream-K of bf16, every size", "[gemm]")
{
    check_split_k_grid<target, bfloat16, bfloat16>();
}

TEST_CASE("gfx90a: split-K and stream-K of f32, every size", "[gemm]") { check_split_k_grid<target, float, float>(); }

TEST_CASE("gfx90a: split-K and stream-K of int8, every size", "[gemm]")
{
    check_split_k_grid<target, std::int8_t, std::int32_t>();
}
