// Every tile of sm_100a, each order of the operands and each way to write C, over all pairs of sizes.

#include "test/kernel/gemm/tcgen05/tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
template <class T>
using tiles = tcgen05_tiles<arch::sm_100a, T>;

TEST_CASE("sm_100a: every tcgen05 tile", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<bfloat16>::tc256x256_2x1, k, k, bfloat16>>();
    check_hopper<tcgen05_kernel<tiles<half>::tc128x256, k, mn, half>>();
    check_hopper<tcgen05_kernel<tiles<bfloat16>::tc128x128, mn, mn, float>>();
    check_hopper<tcgen05_kernel<tiles<half>::tc128x64, mn, k, float>>();
    check_hopper<tcgen05_kernel<tiles<bfloat16>::tc256x256_2x1, mn, k, float, c_layout::odd_rows>>();
}

TEST_CASE("sm_100a: tcgen05 of every type", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<tfloat32>::tc256x256_2x1, k, k, float>>();
    check_hopper<tcgen05_kernel<tiles<std::int8_t>::tc128x128, mn, mn, std::int32_t>>();
    check_hopper<tcgen05_kernel<tiles<float8_e4m3>::tc256x256_2x1, k, mn, bfloat16>>();
    check_hopper<tcgen05_kernel<tiles<float8_e5m2>::tc128x256, mn, k, float8_e4m3>>();
}
