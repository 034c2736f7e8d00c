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
    using gfx1250_tile = scaled_wave_tiles<arch::gfx1250, mxfp8>::t128x128;
    CHECK(check_scaled_cases<microscaled_gemm<gfx1250_tile, float, epilogue::linear<>>, mxfp8, mxfp8>(device, 3,
                                                                                                      false) == "");
    using sm_120a_tile = scaled_warp_tile<arch::sm_120a, mx_format<float6_e2m3>, mxfp4, 64, 64, 2, 2, 3>;
    CHECK(check_scaled_cases<microscaled_gemm<sm_120a_tile, float, epilogue::linear<>>, mx_format<float6_e2m3>, mxfp4>(
              device, 4, false) == "");
    device.multiprocessors = 4;
    using sm_100a_tile = tcgen05_scaled_tiles<arch::sm_100a, nvfp4_format>::tc128x128;
    using kernel = tcgen05_gemm<sm_100a_tile, operand_order::k_contiguous, operand_order::k_contiguous, float,
                                epilogue::linear<>, output_store::direct>;
    CHECK(check_scaled_cases<kernel, nvfp4_format, nvfp4_format>(device, 2, false) == "");
}

TEST_CASE("tiles of sm_100a whose k blocks share, or that blocks take over, are compared, every element")
{
    emulated_device device;
    device.multiprocessors = 4;
    const auto check = [&]<work_partition Partition>() {
        using enum operand_order;
        using kernel = tcgen05_gemm<tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x64, k_contiguous, k_contiguous, float,
                                    test_epilogue<float>::type, output_store::tensor_copies, Partition>;
        constexpr index_t splits = Partition == work_partition::split_k ? 3 : 1;
        return check_kernel<kernel, run_warp_specialized<splits>>(
            device, ragged_tile_cases<typename kernel::tile>(k_contiguous, k_contiguous)[0], 4);
    };
    CHECK(check.operator()<work_partition::split_k>() == "");
    CHECK(check.operator()<work_partition::launch_control>() == "");
}
