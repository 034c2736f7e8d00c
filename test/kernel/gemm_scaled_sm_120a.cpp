// Block-scaled products by sm_120a's warps: Microscaling formats and NVFP4 quantised by the kernel, sizes past every edge,
// batches, and what the arguments may not be.

#include "test/kernel/block_scaled_operands.hpp"
#include "test/kernels.hpp"

#include <tegula/microscaled.hpp>

#include <string>

namespace tegula::test {

namespace {

using target = arch::sm_120a;

template <class Format, class Tile>
void check_scaled(long_index_t m, long_index_t n, long_index_t k, long_index_t batch = 1, bool exact = false,
                  float alpha = 1)
{
    INFO(m << " x " << n << " x " << k << ", batch " << batch);
    using kernel = microscaled_gemm<Tile, float, epilogue::linear<>>;
    using format_b = typename Tile::b_format;
    const operand_data<target, Format> a(m, k, batch, exact, 1);
    const operand_data<target, format_b> b(n, k, batch, exact, 2);
    const long_index_t c_stride = n + 1;
    std::vector<float> c(static_cast<std::size_t>(batch * m * c_stride), -1);
    typename kernel::arguments args;
    args.m = m, args.n = n, args.k = k, args.batch = batch;
    args.a = {a.values.data, a.stride, 1, a.batch_stride};
    args.b = {b.values.data, 1, b.stride, b.batch_stride};
    args.c = {c.data(), c_stride, 1, m * c_stride};
    args.epilogue = epilogue::make_linear<float, float>(alpha, 0.0f, {}, nullptr, activation::none);
    args.a_scales = a.scales.data, args.b_scales = b.scales.data;
    args.a_scales_stride = a.scales_stride, args.b_scales_stride = b.scales_stride;
    args.tensor_scale = a.tensor_scale * b.tensor_scale;
    emulated_device device;
    const status s = launch_gemm(device, kernel{}, args);
    INFO(s.message() << device.result.report);
    REQUIRE(s.ok());
    CHECK(device.result.counters.shared_load_conflicts == 0);
    CHECK(device.result.counters.shared_store_conflicts == 0);
    CHECK(count_wrong(a, b, c.data(), c_stride, k, exact, alpha, Tile::atom::k) == 0);
}

template <class Format, class FormatB = Format>
using large = typename scaled_warp_tiles<target, Format, FormatB>::t128x128;
template <class Format>
using small = typename scaled_warp_tiles<target, Format>::t64x64;
using mxfp8_e5m2 = mx_format<float8_e5m2>;

} // namespace

TEST_CASE("sm_120a: products of MX operands, exact where sums are", "[gemm][mx]")
{
    check_scaled<mxfp8, small<mxfp8>>(130, 70, 700, 1, true);
    check_scaled<mxfp8, small<mxfp8>>(65, 40, 300, 2);
    check_scaled<mxfp4, small<mxfp4>>(70, 65, 900, 1, true);
    check_scaled<mxfp4, small<mxfp4>>(1, 129, 384, 1, false, 0.5f);
    check_scaled<mxfp8, small<mxfp8>>(3, 4, 0, 1, true);
}

TEST_CASE("sm_120a: products of NVFP4 operands, the scale of the tensor applied", "[gemm][nvfp4]")
{
    check_scaled<nvfp4_format, large<nvfp4_format>>(140, 131, 1100, 1, false, 0.5f);
    check_scaled<nvfp4_format, large<nvfp4_format>>(20, 9, 50, 3);
}

TEST_CASE("sm_120a: MX operands of two types and the other tiles", "[.full]")
{
    check_scaled<mxfp8, large<mxfp8, mxfp8_e5m2>>(200, 140, 500, 1, true);
    check_scaled<mxfp8, large<mxfp8>>(129, 257, 1300);
    check_scaled<mxfp4, large<mxfp4>>(257, 129, 1300);
    check_scaled<nvfp4_format, small<nvfp4_format>>(100, 90, 700);
}

TEST_CASE("sm_120a: block-scaled products say what they cannot do", "[gemm][mx]")
{
    using arguments = microscaled_gemm<small<mxfp4>, float, epilogue::linear<>>::arguments;
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
