// The k of a tile shared by the blocks of a cluster: shares of several steps, of one and of none, in both ways to write C,
// the same bits from run to run. test/grid/gemm_hopper_cluster_split.cpp has every type.

#include "test/kernel/gemm/warp_specialized/cluster_split.hpp"

TEST_CASE("sm_90a: four blocks of a cluster share the k of a tile", "[gemm][hopper]")
{
    check_hopper<split<tiles<bfloat16>::ws64x128, 4, bfloat16>>(quarter::first);
}

TEST_CASE("sm_90a: three blocks of a cluster share k, C with any strides", "[gemm][hopper]")
{
    check_hopper<split<tiles<std::int8_t>::ws16x128, 3, std::int32_t, c_layout::odd_rows>>(quarter::third);
}

TEST_CASE("sm_90a: two consumers of two blocks share k, the same bits from run to run", "[gemm][hopper]")
{
    check_same_bits<split<tiles<bfloat16>::ws128x256, 2, float>>();
}

TEST_CASE("sm_90a: a kernel whose clusters share k, by its name", "[gemm][hopper]")
{
    using plain = hopper_kernel<tiles<bfloat16>::ws64x128, k, k, bfloat16>;
    using shared = decltype(with_cluster_split<4>(plain{}));
    STATIC_REQUIRE(std::is_same_v<shared, split<tiles<bfloat16>::ws64x128, 4, bfloat16>>);
    STATIC_REQUIRE(shared::cluster_blocks == 4);
    // A cluster a tile, however many multiprocessors there are, and no workspace.
    gemm_data<bfloat16, bfloat16> data(case_of(300, 270, 1000, 2));
    const work_plan plan = make_work_plan<shared>(data.arguments(), 6);
    CHECK(plan.tiles == 5 * 3 * 2);
    CHECK(plan.clusters == plan.tiles);
    STATIC_REQUIRE(!shared::has_partials);
}
