// Shipped tiles of sm_100a, with 16-bit inputs: one block and pairs, every order of the operands, C by tensor copies and
// direct.

#include "test/kernel/gemm_tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
template <class T>
using tiles = tcgen05_tiles<arch::sm_100a, T>;

TEST_CASE("sm_100a: tcgen05, a block alone", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<bfloat16>::tc128x256, k, k, bfloat16>>(quarter::first);
}

TEST_CASE("sm_100a: tcgen05, pairs of blocks, operands transposed", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<half>::tc256x256_2x1, mn, mn, float>>(quarter::second);
}

TEST_CASE("sm_100a: tcgen05, C in rows that tensor copies cannot address", "[gemm][tcgen05]")
{
    check_hopper<tcgen05_kernel<tiles<bfloat16>::tc128x64, mn, k, float, c_layout::odd_rows>>(quarter::third);
}
