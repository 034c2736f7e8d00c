// tf32 and 8-bit inputs on sm_100a and sm_103a, and 8-bit results.

#include "test/kernel/gemm/tcgen05/tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
template <class T>
using tiles = tcgen05_tiles<arch::sm_100a, T>;

TEST_CASE("sm_103a: tcgen05 of tf32", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tcgen05_tiles<arch::sm_103a, tfloat32>::tc128x64, k, k, float>>(quarter::first);
}

TEST_CASE("sm_100a: tcgen05 of 8-bit integers is exact, in pairs of blocks", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<std::int8_t>::tc256x256_2x1, k, mn, std::int32_t>>(quarter::second);
}

TEST_CASE("sm_100a: tcgen05 of fp8, transposed, fp8 result", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<float8_e4m3>::tc128x128, mn, k, float8_e4m3>>(quarter::third);
}
