// C0 and bias of the other tcgen05 tiles and types, of one block and of pairs: as many slots for C0 as two tiles have
// chunks, four, or two next to large stages.

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>

#include "test/kernel/gemm/warp_specialized/prefetched.hpp"

template <class T>
using tiles = tcgen05_tiles<arch::sm_100a, T>;

TEST_CASE("sm_100a: tcgen05, C0 by tensor copies, tiles of a block", "[gemm][tcgen05]")
{
    check_source<tiles<half>::tc128x64, half, half>(300, 200, 72);
    check_source<tiles<bfloat16>::tc128x128, float, float>(300, 260, 520);
    check_source<tiles<half>::tc128x256, half, half>(140, 600, 136);
    check_source<tiles<bfloat16>::tc128x64, float, bfloat16>(130, 136, 264);
    check_source<tiles<float8_e4m3>::tc128x256, float8_e4m3, float8_e4m3>(130, 272, 272);
}

TEST_CASE("sm_100a: tcgen05, C0 by tensor copies, pairs of blocks", "[gemm][tcgen05]")
{
    check_source<tiles<bfloat16>::tc256x256_2x1, bfloat16, bfloat16>(300, 264, 70);
    check_source<tiles<tfloat32>::tc256x256_2x1, float, float>(300, 260, 72);
    check_source<tiles<float8_e4m3>::tc256x256_2x1, bfloat16, bfloat16>(600, 264, 272);
    check_source<tiles<float8_e5m2>::tc256x256_2x1, float8_e5m2, bfloat16>(130, 272, 144);
}
