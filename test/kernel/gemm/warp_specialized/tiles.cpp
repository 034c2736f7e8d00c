// Shipped tiles, with 16-bit inputs. test/grid/gemm_hopper_*.cpp have all of them with every type and order.

#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
using target = arch::sm_90a;
template <class T>
using tiles = warp_specialized_tiles<target, T>;

TEST_CASE("sm_90a: warp-specialised, clusters of two, both consumers at one tile", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<tiles<bfloat16>::ws128x256_2x1, k, k, bfloat16>>(quarter::first);
}

TEST_CASE("sm_90a: warp-specialised, few rows as the instruction's columns", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<tiles<bfloat16>::ws16x128, k, k, bfloat16>>(quarter::fourth);
    check_hopper<hopper_kernel<tiles<half>::ws64x128, mn, mn, float>>(quarter::first);
    check_hopper<hopper_kernel<tiles<bfloat16>::ws32x64, k, k, bfloat16>>(quarter::second);
}

template <int ClusterM, int ClusterN, consumer_mode Mode>
using small_tile =
    warp_specialized_tile<target, bfloat16, bfloat16, float, 128, 128, 64, 2, Mode, ClusterM, ClusterN, 3>;
