/// The tests of GPUs with the emulator as the device: what the tests themselves do is right, and they see what is
/// wrong.

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>

#include "test/catch.hpp"
#include "test/gpu/kernel_checks.hpp"
#include "test/gpu/launch_checks.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

using plain_tile = gemm_tiles<arch::gfx1100, bfloat16>::t32x128;
using plain_kernel = gemm_kernels<plain_tile, float, test_epilogue<float>::type>::aligned<k_contiguous, row_contiguous>;

/// Launches as Run does; afterwards an element of C is another.
template <class Run>
struct run_and_spoil
{
    template <class Kernel, class Device, class Arguments>
    static status run(Device& device, const Arguments& args)
    {
        status s = Run::template run<Kernel>(device, args);
        args.c.data[3 * args.c.row_stride + 5] += 0.25f;
        return s;
    }
};

/// Writes behind the last row of C, too.
struct run_past_c
{
    template <class Kernel, class Device, class Arguments>
    static status run(Device& device, const Arguments& args)
    {
        args.c.data[(args.m - 1) * args.c.row_stride + args.n] = 1;
        return run_plain::run<Kernel>(device, args);
    }
};

} // namespace

TEST_CASE("function objects with members, on the emulator")
{
    emulated_device device;
    CHECK(check_function_objects<arch::sm_80>(device, 1) == "");
    CHECK(check_function_objects<arch::gfx942>(device, 2) == "");
}

TEST_CASE("the comparison on the device passes right products and names wrong elements")
{
    emulated_device device;
    const auto check = [&](auto run, std::uint64_t seed) {
        return check_cases<plain_kernel, decltype(run)>(device, k_contiguous, row_contiguous, seed, false);
    };
    for (const std::uint64_t seed : {0, 1})
        CHECK(check(run_plain{}, seed) == "");
    CHECK(check(run_partials<split_k_gemm>{}, 2) == "");
    const std::string spoilt = check(run_and_spoil<run_plain>{}, 0);
    CHECK(spoilt.find("1 of ") != std::string::npos);
    CHECK(spoilt.find("the error of element " + std::to_string(3 * (plain_tile::block_n + 10) + 5) + " is 0.25") !=
          std::string::npos);
    CHECK(check(run_past_c{}, 0).ends_with("something around C was written"));
}

TEST_CASE("clusters, tensor copies and k shared by clusters, on the emulator")
{
    using tiles = warp_specialized_tiles<arch::sm_90a, bfloat16>;
    using kernel =
        warp_specialized_gemm<tiles::ws16x128, k_contiguous, row_contiguous, float, test_epilogue<float>::type,
                              output_store::tensor_copies, work_partition::split_k>;
    emulated_device device;
    device.multiprocessors = 4;
    CHECK(check_kernel<kernel, run_warp_specialized<3>>(
              device, ragged_tile_cases<kernel::tile>(k_contiguous, row_contiguous)[0], 1) == "");
}

TEST_CASE("alpha = 0 with NaN in A and B gives the same from every launch")
{
    gemm_case what = ragged_tile_cases<plain_tile>(k_contiguous, row_contiguous)[0];
    what.alpha = 0;
    gemm_data<bfloat16, float> data(what);
    data.a.for_each([](bfloat16& x) { x = poison<bfloat16>(); });
    data.b.for_each([](bfloat16& x) { x = poison<bfloat16>(); });
    emulated_device device;
    const status s = launch(device, plain_kernel{}, data.arguments());
    INFO(device.result.report);
    REQUIRE(s.ok());
    CHECK(data.verify().passed);

    using grouped = grouped_gemm<plain_kernel>;
    auto product = data.arguments();
    index_t first_block[2];
    REQUIRE(grouped::number_blocks(&product, 1, first_block).ok());
    data.c.values = data.c.before;
    REQUIRE(launch(device, grouped{}, {&product, first_block, 1, first_block[1]}).ok());
    CHECK(data.verify().passed);

    auto wrong = data.arguments();
    wrong.a.data = nullptr;
    CHECK(std::string(launch(device, plain_kernel{}, wrong).message()).starts_with("A is a null pointer"));
    CHECK(!device.result.status.ok());
}
