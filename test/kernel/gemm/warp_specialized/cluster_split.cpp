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

TEST_CASE("sm_90a: kernels whose clusters share k, by their names", "[gemm][hopper]")
{
    gemm_data<bfloat16, bfloat16> data(case_of(300, 272, 1000, 1));
    const auto args = data.arguments();

    using tile = warp_specialized_tiles<arch::sm_90a, bfloat16>::ws64x128;
    using shared = warp_specialized_kernels<cluster_split_tile<tile, 4>, bfloat16, epilogue::linear<bfloat16>>;
    const auto run = emulate(shared{}, args);

    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    CHECK(data.verify().passed);
    using kernel = decltype(with_cluster_split<4>(hopper_kernel<tile, k, k, bfloat16>{}));
    STATIC_REQUIRE(std::is_same_v<kernel, split<tile, 4, bfloat16>>);
    STATIC_REQUIRE(kernel::cluster_blocks == 4);
    STATIC_REQUIRE(!kernel::has_partials);
    // A cluster a tile, however many multiprocessors there are.
    const work_plan plan = make_work_plan<kernel>(args, 6);
    CHECK(plan.tiles == 5 * 3);
    CHECK(plan.clusters == plan.tiles);
}
