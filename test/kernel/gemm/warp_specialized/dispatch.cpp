// The kernel that dispatch finds: by the orders of the operands, or another where tensor copies cannot address them.

#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/dispatch.hpp>

#include <string>

namespace tegula::test {
namespace {

using target = arch::sm_90a;
using tile = warp_specialized_tiles<target, bfloat16>::ws16x128;
using specialised = warp_specialized_kernels<tile, float, epilogue::linear<>>;
using multistage = gemm_kernels<gemm_tiles<target, bfloat16>::t64x64, float, epilogue::linear<>>;

emulator::launch_result multiply(const specialised::arguments& args, std::string& used)
{
    const auto run = specialised::dispatch(
        args,
        [&](auto kernel) {
            used = "warp-specialised";
            return emulate(kernel, arguments_for(kernel, args));
        },
        [&](const status& why) {
            used = why.message();
            return emulate(multistage::element_wise{}, args);
        });
    return run;
}

/// Multiplies, verifies, and tells what was used.
std::string check_dispatch(memory_order a, memory_order b, padding rows, long_index_t k = 130, long_index_t n = 72)
{
    gemm_case what;
    what.m = 13, what.n = n, what.k = k;
    what.a = a, what.b = b, what.rows = rows;
    INFO(what.text());
    gemm_data<bfloat16, float> data(what);
    std::string used;
    const emulator::launch_result run = multiply(data.arguments(), used);
    INFO(run.report << run.status.message());
    CHECK(run.status.ok());
    CHECK(data.verify().passed);
    CHECK(data.c.surroundings_untouched());
    CHECK(specialised::can_take(data.arguments()).ok() == (used == "warp-specialised"));
    return used;
}

TEST_CASE("products that tensor copies can address are warp-specialised, the others multistage", "[gemm][hopper]")
{
    using enum memory_order;
    for (const memory_order a : {row_major, column_major})
        for (const memory_order b : {row_major, column_major}) {
            CHECK(check_dispatch(a, b, padding::vectors) == "warp-specialised");
            CHECK(check_dispatch(a, b, padding::vectors, 1) == "warp-specialised");
            CHECK(check_dispatch(a, b, padding::odd).starts_with("A: tensor map: the base address lies"));
        }
    CHECK(check_dispatch(row_major, backwards, padding::vectors).starts_with("B has stride -"));
    CHECK(check_dispatch(row_major, column_major, padding::vectors, 0).starts_with("a product without elements"));
    CHECK(check_dispatch(row_major, column_major, padding::vectors, 130, 70).starts_with("C has 70 columns"));
}

} // namespace
} // namespace tegula::test
