// Split-K and stream-K of the warp-specialised kernels: products whose tiles and k are shared in every way, in a
// workspace full of NaN, the same bits from run to run.

#include "test/kernel/gemm/forms/partitions.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
using target = arch::sm_90a;

namespace {

template <work_partition Partition>
using shared_kernel = hopper_kernel<warp_specialized_tiles<target, bfloat16>::ws128x128_2x1, k, k, bfloat16,
                                    c_layout::tensor_copies, Partition>;

} // namespace

TEST_CASE("sm_90a: clusters split the k of tiles", "[gemm][hopper]")
{
    check_shared<shared_kernel<work_partition::split_k>>(4, 3);
    check_shared<shared_kernel<work_partition::split_k>>(8, 1000);
    check_shared<shared_kernel<work_partition::split_k>>(132, 1);
}

TEST_CASE("sm_90a: splits are for kernels that split k alone", "[gemm][hopper]")
{
    using tiles = shared_kernel<work_partition::tiles>;
    using stream = shared_kernel<work_partition::stream>;
    gemm_data<bfloat16, bfloat16> data(case_of(32, 64, 512, 1));
    tiles::arguments args;
    CHECK(fill_arguments<tiles>(args, data.arguments(), 6, make_emulated_tensor_map, 2).message() ==
          std::string("splits is 2, and this kernel does not split the k of tiles; give 1, or take "
                      "with_partition<split_k>"));
    CHECK(emulate(tiles{}, arguments_for(tiles{}, data.arguments(), 2), {}, 6).status.code() ==
          status_code::invalid_argument);
    stream::arguments streamed;
    CHECK(fill_arguments<stream>(streamed, data.arguments(), 6, make_emulated_tensor_map, 3).code() ==
          status_code::invalid_argument);

    // A plan that somebody made otherwise: the queue itself says so.
    REQUIRE(fill_arguments<tiles>(args, data.arguments(), 6, make_emulated_tensor_map).ok());
    args.plan.splits = 2;
    emulator::run_config config;
    config.chip = &chip_of<target>;
    tegula::add_product(args.product, config.memory);
    config.grid = {static_cast<int>(tiles::blocks(args)), 1, 1};
    config.cluster = {tiles::cluster_blocks, 1, 1};
    config.block_threads = tiles::block_threads;
    config.shared_bytes = tiles::shared_bytes;
    const auto run = emulator::launch(config, [&args] { tiles{}(args); });
    INFO(run.report << run.status.message());
    CHECK(run.report.find("that its plan does not have") != std::string::npos);
}

TEST_CASE("sm_90a: a workspace that is too small is refused", "[gemm][hopper]")
{
    using kernel = shared_kernel<work_partition::stream>;
    shared_run<kernel> product(case_of(300, 304, 512, 1), 6, 1);
    typename kernel::arguments args;
    std::uint64_t little[2]{};
    const status s = fill_arguments<kernel>(args, product.data().arguments(), 6, make_emulated_tensor_map, 1,
                                            {little, sizeof(little)});
    CHECK(s.message() == std::string("the workspace has 16 bytes; 786432 are needed"));
}
