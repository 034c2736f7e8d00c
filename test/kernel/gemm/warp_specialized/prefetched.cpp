// C0 and bias of warp-specialised kernels: the producer copies C0 by tensor copies, in every mode, as wide as C or not,
// and consumers load the bias once a tile. What tensor copies cannot address is refused by describe_maps (refusals.cpp).

#include "test/kernel/gemm/warp_specialized/prefetched.hpp"

template <class T>
using tiles = warp_specialized_tiles<arch::sm_90a, T>;

TEST_CASE("sm_90a: warp-specialised, C0 by tensor copies, both consumers at one tile", "[gemm][hopper]")
{
    check_source<tiles<bfloat16>::ws128x256_2x1, bfloat16, bfloat16>(140, 264, 70);
    check_source<tiles<bfloat16>::ws128x256_2x1, bfloat16, float>(300, 264, 200);
    check_source<tiles<half>::ws256x128_1x2, half, half>(300, 200, 130);
    check_source<tiles<float8_e4m3>::ws128x128_2x1_promoted, float8_e4m3, float8_e4m3>(130, 144, 272);
}

TEST_CASE("sm_90a: which part of an epilogue a kernel prefetches C0 for", "[gemm][hopper]")
{
    using namespace epilogue;
    using source = add_source<float>;
    STATIC_REQUIRE(prefetch_consumers_of<linear<>, prefetched_source> == 1);
    STATIC_REQUIRE(prefetch_consumers_of<linear<>, prefetched_bias> == 1);
    STATIC_REQUIRE(prefetch_consumers_of<as_float<source, chain<source>>, prefetched_source> == 2);
    STATIC_REQUIRE(prefetch_consumers_of<store_copy<half, source>, prefetched_source> == 0);
    using tile = tiles<bfloat16>::ws128x128;
    STATIC_REQUIRE(kernel<tile, float, linear<>>::source::fit);
    STATIC_REQUIRE(kernel<tile, float, as_float<scale, source>>::source::fit);
    STATIC_REQUIRE(!kernel<tile, float, chain<source, source>>::source::fit);
    STATIC_REQUIRE(!kernel<tile, float, none>::source::fit);
    STATIC_REQUIRE(!kernel<tile, float, linear<>, work_partition::split_k>::source::fit);
    STATIC_REQUIRE(!warp_specialized_gemm<tile, k, k, float, linear<>, output_store::direct>::source::fit);
}
