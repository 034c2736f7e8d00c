/// Operands that a warpgroup makes for tcgen05, and lists of products by tensor maps, by the tests of GPUs, with the
/// emulator as the device: right products pass, wrong ones do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/made_checks.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

using tile = tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x64;
using tile_of_wgmma = warp_specialized_tiles<arch::sm_90a, bfloat16>::ws64x64;

gemm_case ragged_case()
{
    gemm_case what = ragged_tile_cases<tile>(k_contiguous, row_contiguous)[0];
    what.batch = 1;
    return what;
}

/// With the row behind each that is asked for.
struct next_row : persistent_gathered_form<tile>
{
    template <class Arguments, class Inputs>
    static auto fill(Arguments& args, const gemm_case& what, Inputs& on, std::uint64_t seed)
    {
        const auto a = gathered_inputs<tile>::fill(args, what, on, seed);
        ++const_cast<index_t*>(args.a.indices)[3];
        return a;
    }
};

/// An element of the last product is another afterwards.
template <class Kernel>
struct run_and_spoil_list : run_mapped_list<Kernel>
{
    template <class Device, class Products, class Inputs>
    static status run(Device& device, Products& products, Inputs& on)
    {
        status s = run_mapped_list<Kernel>::run(device, products, on);
        products.back().c.data[1] += 0.25f;
        return s;
    }
};

} // namespace

TEMPLATE_TEST_CASE("cases of operands that a warpgroup makes have a kernel", "", tile, tile_of_wgmma)
{
    emulated_device device;
    device.multiprocessors = 4;
    using int8 = persistent_weights<TestType, quantized<std::int8_t>>;
    using int4 = persistent_weights<TestType, quantized<int4x2, 64>>;
    for (gemm_case what : weight_cases<TestType>(false)) {
        what.batch = 1;
        INFO(what.text());
        CHECK(check_form<int8, quantized_weights_form>(device, what, 1) == "");
        CHECK(check_form<int4, quantized_weights_form>(device, what, 1) == "");
    }
    for (const gemm_case& what : made_cases<persistent_gathered_form<TestType>>(false)) {
        INFO(what.text());
        CHECK(check_prologue<persistent_gathered_form<TestType>>(device, what, 1) == "");
    }
    for (const gemm_case& what : made_cases<persistent_made_form<TestType>>(false)) {
        INFO(what.text());
        CHECK(check_prologue<persistent_made_form<TestType>>(device, what, 1) == "");
    }
}

TEST_CASE("operands that a warpgroup makes are compared with what they stand for")
{
    emulated_device device;
    device.multiprocessors = 4;
    const gemm_case what = ragged_case();
    CHECK(check_form<persistent_weights<tile, quantized<int4x2, 64>>, quantized_weights_form>(device, what, 1) == "");
    CHECK(check_prologue<persistent_gathered_form<tile>>(device, what, 1) == "");
    CHECK(check_prologue<persistent_made_form<tile>>(device, what, 2) == "");
    CHECK(check_prologue<next_row>(device, what, 1).find("elements are wrong") != std::string::npos);
}

TEMPLATE_TEST_CASE("every product of a list by tensor maps is compared", "", tile, tile_of_wgmma)
{
    emulated_device device;
    device.multiprocessors = 4;
    using kernel = listed_kernel<TestType, float, k_contiguous, k_contiguous>;
    const auto cases = cases_of<TestType>(k_contiguous, k_contiguous, false);
    CHECK(check_list<kernel, run_mapped_list<kernel>>(device, cases, 1) == "");
    const std::string spoilt = check_list<kernel, run_and_spoil_list<kernel>>(device, cases, 1);
    INFO(spoilt);
    CHECK(spoilt.find("the error of element 1 is 0.25") != std::string::npos);
}
