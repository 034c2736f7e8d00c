/// sm_100a: operands that a warpgroup makes in shared memory, for one block and for pairs.

#include <tegula/kernel/gemm/tcgen05/tiles.hpp>

#include "test/kernel/gemm/warp_specialized/made_operands.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

template <class T>
using tiles = tcgen05_tiles<arch::sm_100a, T>;

} // namespace

TEST_CASE("sm_100a: tcgen05, unsigned int8 weights with column scales by f16", "[gemm][tcgen05]")
{
    check_made_weights<tiles<half>::tc128x64, quantized<std::uint8_t>>(quarter::first);
}
TEST_CASE("sm_100a: tcgen05, int4 weights in groups of 64 by pairs of blocks, bf16", "[gemm][tcgen05]")
{
    check_made_weights<tiles<bfloat16>::tc256x256_2x1, quantized<int4x2, 64, bfloat16, std::int8_t>>(quarter::second);
}
TEST_CASE("sm_100a: tcgen05, rows by index and made elements, bf16", "[gemm][tcgen05]")
{
    check_made_prologue<tiles<bfloat16>::tc128x128, row_contiguous>(quarter::third);
}
