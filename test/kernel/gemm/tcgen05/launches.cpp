// sm_100a: blocks and pairs that take over the launches of others, in every order of lanes, waves and grants.

#include "test/kernel/gemm/tcgen05/tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;

namespace {

template <class Tile>
using kernel = tcgen05_gemm<Tile, k, k, bfloat16, test_epilogue<bfloat16>::type, output_store::tensor_copies,
                            work_partition::launch_control>;

template <class Kernel>
void check_orders(const gemm_case& what)
{
    gemm_data<typename Kernel::a_type, typename Kernel::c_type> data(what);
    const auto args = data.arguments();
    const long tiles = static_cast<long>(Kernel::cluster_tiles_m(args)) * Kernel::cluster_tiles_n(args) * args.batch;
    for (const int order : {0, -1, 1, 2}) {
        INFO("order " << order);
        emulator::run_config config;
        config.order = order;
        const auto run = emulate(Kernel{}, arguments_for(Kernel{}, args), config, 2 * Kernel::cluster_blocks);
        INFO(run.report << run.status.message());
        REQUIRE(run.status.ok());
        CHECK(static_cast<long>(run.counters.mma_instructions) == hopper_instructions<Kernel>(args));
        if (order <= 0)
            CHECK(run.counters.canceled_clusters == tiles - 2);
        CHECK(data.verify().passed);
    }
}

} // namespace

TEST_CASE("sm_100a: tcgen05, blocks take over launches", "[gemm][tcgen05]")
{
    check_hopper<kernel<tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x64>>(quarter::first);
}

TEST_CASE("sm_100a: tcgen05, pairs of blocks take over launches", "[gemm][tcgen05]")
{
    using pairs = kernel<tcgen05_tiles<arch::sm_100a, bfloat16>::tc256x256_2x1>;
    gemm_case what = hopper_cases<pairs>(quarter::first).front();
    what.m = 600, what.n = 1032, what.k = 200, what.batch = 1;
    check_orders<pairs>(what);
}

TEST_CASE("sm_100a: tcgen05, a product whose A is the result of a launch that still runs", "[gemm][tcgen05]")
{
    using single = tcgen05_kernel<tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x64, k, k, bfloat16>;
    gemm_case what = hopper_cases<single>(quarter::first).front();
    what.m = 130, what.n = 64, what.k = 64, what.batch = 1, what.beta = 0;
    gemm_data<bfloat16, bfloat16> first(what), second(what);
    auto args = second.arguments();
    args.a = first.c.source();
    emulated_device device;
    device.overlaps_launches = true;
    for (const auto& product : {first.arguments(), args}) {
        REQUIRE(launch(device, single{}, arguments_for(single{}, product)).ok());
        INFO(device.result.report);
        CHECK(device.result.status.ok());
    }
    CHECK(first.verify().passed);
    second.a = first.c;
    second.a.before = first.c.values;
    CHECK(second.verify().passed);
}
