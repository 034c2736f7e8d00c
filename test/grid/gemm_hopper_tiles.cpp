// Further shipped tiles, with 16-bit inputs.

#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
using target = arch::sm_90a;
template <class T>
using tiles = warp_specialized_tiles<target, T>;

TEST_CASE("sm_90a: warp-specialised, 192 columns whose panels of 64 bytes two blocks share", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<tiles<bfloat16>::ws128x192_2x1, k, mn, bfloat16>>(quarter::fourth);
}

TEST_CASE("sm_90a: warp-specialised, two instructions of 64 rows, operands transposed", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<tiles<half>::ws256x128_1x2, mn, mn, half>>(quarter::second);
}

TEST_CASE("sm_90a: warp-specialised, ping-pong, C in rows that tensor copies cannot address", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<tiles<bfloat16>::ws128x128, k, mn, float, c_layout::odd_rows>>(quarter::third);
}

template <int ClusterM, int ClusterN, consumer_mode Mode>
using small_tile =
    warp_specialized_tile<target, bfloat16, bfloat16, float, 128, 128, 64, 2, Mode, ClusterM, ClusterN, 3>;

TEST_CASE("sm_90a: warp-specialised, clusters along N and of four", "[gemm][hopper]")
{
    check_hopper<hopper_kernel<small_tile<1, 2, consumer_mode::ping_pong>, k, k, float>>(quarter::second);
    check_hopper<hopper_kernel<small_tile<2, 2, consumer_mode::cooperative>, k, mn, bfloat16>>(quarter::third);
}
