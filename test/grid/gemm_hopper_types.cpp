// 8-bit and tf32 inputs, of which wgmma takes contiguous k alone, and 8-bit results.

#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
using target = arch::sm_90a;
template <class T>
using tiles = warp_specialized_tiles<target, T>;

TEST_CASE("sm_90a: warp-specialised tf32", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<tiles<tfloat32>::ws128x128_2x1, k, k, float>>(quarter::first);
}

TEST_CASE("sm_90a: warp-specialised 8-bit integers are exact", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<tiles<std::int8_t>::ws64x256_2x1, k, k, std::int32_t>>(quarter::second);
}

TEST_CASE("sm_90a: warp-specialised fp8, promoted every 128 of k", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<tiles<float8_e4m3>::ws128x128_2x1_promoted, k, k, bfloat16>>(quarter::third);
}

TEST_CASE("sm_90a: warp-specialised fp8, two promotions a stage", "[gemm][hopper]")
{
    using tile = tiles<float8_e4m3>::ws16x64;
    static_assert(tile::block_k == 256 && tile::promote_k == 128);
    check_hopper<hopper_kernel<tile, k, k, bfloat16>>(quarter::first);
}

TEST_CASE("sm_90a: warp-specialised fp8, few rows, fp8 result", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<tiles<float8_e5m2>::ws32x128, k, k, float8_e4m3>>(quarter::fourth);
}
