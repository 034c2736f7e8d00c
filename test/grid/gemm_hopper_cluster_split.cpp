// The k of a tile shared by the blocks of a cluster: every type and order, tiles of one and two consumers, 2 to 8 blocks.

#include "test/kernel/gemm/warp_specialized/cluster_split.hpp"

TEST_CASE("sm_90a: clusters that share k, 16-bit inputs", "[gemm][hopper]")
{
    check_hopper<split<tiles<bfloat16>::ws128x256, 2, bfloat16>>();
    check_hopper<split<tiles<bfloat16>::ws256x128, 4, float>>(quarter::second);
    check_hopper<split<tiles<half>::ws128x128_transposed, 2, half, c_layout::odd_rows, mn, k>>(quarter::third);
    check_hopper<split<tiles<half>::ws64x128, 4, float, c_layout::tensor_copies, k, mn>>(quarter::fourth);
    check_hopper<split<tiles<bfloat16>::ws16x64, 2, bfloat16, c_layout::tensor_copies, mn, mn>>(quarter::first);
    check_hopper<split<tiles<bfloat16>::ws32x128, 8, bfloat16>>(quarter::second);
}

TEST_CASE("sm_90a: clusters that share k, 8-bit inputs and tf32", "[gemm][hopper]")
{
    check_hopper<split<tiles<std::int8_t>::ws64x128, 4, std::int32_t>>(quarter::first);
    check_hopper<split<tiles<float8_e4m3>::ws16x128, 8, float8_e4m3>>(quarter::second);
    check_hopper<split<tiles<float8_e5m2>::ws128x128_promoted, 2, bfloat16>>(quarter::third);
    check_hopper<split<tiles<float8_e4m3>::ws32x64, 5, float, c_layout::odd_rows>>(quarter::fourth);
    check_hopper<split<tiles<tfloat32>::ws64x128, 4, float>>(quarter::first);
}

TEST_CASE("sm_90a: clusters that share k give the same bits from run to run", "[gemm][hopper]")
{
    check_same_bits<split<tiles<bfloat16>::ws64x128, 4, bfloat16>>();
    check_same_bits<split<tiles<float8_e4m3>::ws16x128, 8, bfloat16>>();
    check_same_bits<split<tiles<tfloat32>::ws128x256, 2, float>>();
}
