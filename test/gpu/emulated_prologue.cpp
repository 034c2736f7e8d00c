/// GEMM with a prologue and mixtures of experts by the tests of GPUs, with the emulator as the device: right results pass, wrong ones do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/moe_checks.hpp"
#include "test/gpu/prologue_checks.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("mixtures of experts are compared with their formula, every element")
{
    using target = arch::gfx942;
    using tile = prologue_tiles<target, half>::small;
    emulated_device device;
    for (const moe_sizes& sizes : moe_cases(false))
        CHECK(check_moe<tile>(device, sizes, 1) == "");
    const moe_sizes few{5, 24, 40, 3, 2, false};
    CHECK(check_moe<tile, half, true>(device, few, 1) == "");
    CHECK(check_moe<prologue_tiles<target, float>::small>(device, few, 1) == "");
}

namespace {

using small_tile = prologue_tiles<arch::gfx942, half>::small;

/// With the row behind each that is asked for.
struct next_row : gathered_form<small_tile>
{
    template <class Inputs>
    static auto fill(kernels::arguments& args, const gemm_case& what, Inputs& on, std::uint64_t seed)
    {
        const auto a = gathered_form<small_tile>::fill(args, what, on, seed);
        ++const_cast<index_t*>(args.a.indices)[3];
        return a;
    }
};

} // namespace

TEST_CASE("products with a prologue are compared with what their operands stand for")
{
    emulated_device device;
    const auto cases = prologue_cases<small_tile>(false);
    for (const gemm_case& what : {cases.front(), cases.back()}) {
        CHECK(check_prologue<gathered_form<small_tile>>(device, what, 1) == "");
        CHECK(check_prologue<made_form<small_tile>>(device, what, 2) == "");
    }
    CHECK(check_prologue<next_row>(device, cases.front(), 1).find("elements are wrong") != std::string::npos);
}
