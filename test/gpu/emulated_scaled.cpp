/// Block-scaled formats by the tests of GPUs, with the emulator as the device.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/scaled_checks.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("products of block-scaled operands are compared with what they stand for")
{
    emulated_device device;
    using mxfp4 = mx_format<float4_e2m1>;
    using mxfp8 = mx_format<float8_e4m3>;
    using gfx950_tile = microscaled_tiles<arch::gfx950, float4_e2m1, float8_e4m3>::t128x128;
    CHECK(check_scaled_cases<microscaled_gemm<gfx950_tile, float, epilogue::linear<>>, mxfp4, mxfp8>(device, 1,
                                                                                                     false) == "");
    device.multiprocessors = 4;
    using sm_100a_tile = tcgen05_scaled_tiles<arch::sm_100a, nvfp4_format>::tc128x128;
    using kernel = tcgen05_gemm<sm_100a_tile, operand_order::k_contiguous, operand_order::k_contiguous, float,
                                epilogue::linear<>, output_store::direct>;
    CHECK(check_scaled_cases<kernel, nvfp4_format, nvfp4_format>(device, 2, false) == "");
}
