// Block-scaled products by sm_120a's warps: Microscaling formats and NVFP4 quantised by the kernel, sizes past every edge,
// batches, and what the arguments may not be.

#include "test/kernel/gemm/microscaled/scaled_product.hpp"

#include <string>

namespace tegula::test {

namespace {

using target = arch::sm_120a;

template <class Format, class FormatB = Format>
using large = typename scaled_warp_tiles<target, Format, FormatB>::t128x128;
template <class Format>
using small = typename scaled_warp_tiles<target, Format>::t64x64;
using mxfp8_e5m2 = mx_format<float8_e5m2>;
using mxfp6_e3m2 = mx_format<float6_e3m2>;

} // namespace

TEST_CASE("sm_120a: products of MX operands, exact where sums are", "[gemm][mx]")
{
    check_scaled<target, mxfp8, small<mxfp8>>(130, 70, 700, 1, true);
    check_scaled<target, mxfp8, small<mxfp8>>(65, 40, 300, 2);
    check_scaled<target, mxfp4, small<mxfp4>>(70, 65, 900, 1, true);
    check_scaled<target, mxfp4, small<mxfp4>>(1, 129, 384, 1, false, 0.5f);
    check_scaled<target, mxfp8, small<mxfp8>>(3, 4, 0, 1, true);
}

TEST_CASE("sm_120a: products of NVFP4 operands, the scale of the tensor applied", "[gemm][nvfp4]")
{
    check_scaled<target, nvfp4_format, large<nvfp4_format>>(140, 131, 1100, 1, false, 0.5f);
    check_scaled<target, nvfp4_format, large<nvfp4_format>>(20, 9, 50, 3);
}

TEST_CASE("sm_120a: products of 6 bits, and of 4 beside wider ones", "[gemm][mx]")
{
    check_scaled<target, mxfp6, small<mxfp6>>(130, 70, 700, 1, true);
    check_scaled<target, mxfp6, scaled_warp_tile<target, mxfp6, mxfp4, 64, 64, 2, 2, 3>>(65, 40, 300, 2, true);
    check_scaled<target, mxfp4, scaled_warp_tile<target, mxfp4, mxfp8, 64, 64, 2, 2, 3>>(70, 129, 384, 1, false, 0.5f);
}

TEST_CASE("sm_120a: MX operands of two types and the other tiles", "[.full]")
{
    check_scaled<target, mxfp6_e3m2, large<mxfp6_e3m2, mxfp8_e5m2>>(129, 200, 1000, 2);
    check_scaled<target, mxfp8, large<mxfp8, mxfp6>>(129, 200, 1000, 1, true);
    check_scaled<target, mxfp8, large<mxfp8, mxfp8_e5m2>>(200, 140, 500, 1, true);
    check_scaled<target, mxfp8, large<mxfp8>>(129, 257, 1300);
    check_scaled<target, mxfp4, large<mxfp4>>(257, 129, 1300);
    check_scaled<target, nvfp4_format, small<nvfp4_format>>(100, 90, 700);
}

TEMPLATE_TEST_CASE("the kernel that quantises reads each sector once", "[gemm][mx]", mxfp8, mxfp4, nvfp4_format)
{
    using quantize = block_quantize<target, TestType, float>;
    using element = typename TestType::element_type;
    constexpr long_index_t rows = 128, k = 384;
    emulated_memory x, values, scales;
    REQUIRE(x.allocate(rows * k * sizeof(float)).ok());
    REQUIRE(values.allocate(static_cast<std::size_t>(rows * mx_row_bytes<element>(k))).ok());
    REQUIRE(scales.allocate(static_cast<std::size_t>(quantize::layout::bytes(rows, k))).ok());
    auto* const numbers = static_cast<float*>(x.data());
    for (long_index_t i = 0; i < rows * k; ++i)
        numbers[i] = static_cast<float>(i % 23 - 11);
    emulated_device device;
    const block_quantize_arguments<float> args{numbers,
                                               rows,
                                               k,
                                               k,
                                               1,
                                               static_cast<std::uint8_t*>(values.data()),
                                               mx_row_bytes<element>(k),
                                               static_cast<std::uint8_t*>(scales.data()),
                                               1.0f};
    REQUIRE(launch(device, quantize{}, args).ok());
    CHECK(device.result.counters.global_loads == rows * k / (32 * 4)); // of a wave, 16 bytes a lane
    CHECK(device.result.counters.global_load_sectors == rows * k * 4 / 32);
}

TEST_CASE("sm_120a: block-scaled products say what they cannot do", "[gemm][mx]")
{
    using arguments = microscaled_gemm<small<mxfp4>, float, epilogue::linear<>>::product_type;
    alignas(16) std::uint8_t bytes[64]{};
    float c[4];
    arguments args;
    args.m = 2, args.n = 2, args.k = 100;
    args.a = {bytes, 64, 1, 0};
    args.b = {bytes, 1, 64, 0};
    args.c = {c, 2, 1, 0};
    args.a_scales = args.b_scales = bytes;
    CHECK(can_implement(args).ok());
    args.tensor_scale = 2;
    CHECK(std::string(can_implement(args).message()).find("scale by alpha") != std::string::npos);
}

} // namespace tegula::test
