// Block-scaled products on sm_100a by operands that the kernel quantised: MX formats and NVFP4, one block and pairs, scales
// past the edges, against sums in double of the operands as the host's rule quantises them.

#include "test/catch.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/gemm_sm100.hpp>
#include <tegula/host/block_quantized.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/host/launch_block_scaled.hpp>
#include <tegula/host/random.hpp>

#include <cmath>
#include <vector>

namespace tegula::test {

namespace {

using target = arch::sm_100a;

/// Memory that starts at a multiple of 128 bytes.
struct aligned_bytes
{
    std::vector<std::uint8_t> memory;
    std::uint8_t* data = nullptr;

    void assign(long_index_t size)
    {
        memory.assign(static_cast<std::size_t>(size + 128), 0xee);
        data = memory.data() + (128 - reinterpret_cast<std::uintptr_t>(memory.data()) % 128);
    }
};

/// A batch of matrices [rows, k], quantised by the host's rule and by the kernel.
template <class Format>
struct operand_data
{
    using element = typename Format::element_type;
    using quantize = block_quantize<target, Format, float>;
    std::vector<block_quantized<element, typename Format::scale_type>> expected;
    aligned_bytes values, scales;
    long_index_t rows, stride, batch_stride, scales_stride;
    float tensor_scale = 1;

    operand_data(long_index_t all_rows, long_index_t k, long_index_t batch, bool exact, unsigned seed)
        : rows(all_rows), stride(mx_row_bytes<element>(k) + 32), batch_stride(stride * rows),
          scales_stride(quantize::layout::bytes(rows, k))
    {
        std::vector<float> x(static_cast<std::size_t>(rows * k * batch));
        fill_normal<float>(x, seed);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = exact ? std::rint(2 * x[i]) : x[i] * std::ldexp(1.0f, static_cast<int>(i / 40 % 9) - 4);
        values.assign(batch * batch_stride);
        scales.assign(batch * scales_stride);
        expected.resize(static_cast<std::size_t>(batch));
        float largest = 0;
        for (const float v : x)
            largest = std::fmax(largest, std::fabs(v));
        for (long_index_t b = 0; b < batch; ++b) {
            std::vector<float> one(x.begin() + b * rows * k, x.begin() + (b + 1) * rows * k);
            auto& host = expected[static_cast<std::size_t>(b)];
            if constexpr (Format::has_tensor_scale) {
                one[0] = largest; // the same scale for all of the batch
                REQUIRE(quantize_nvfp4(one, rows, k, host).ok());
                tensor_scale = host.tensor_scale;
            } else {
                REQUIRE(quantize_mx<element>(one, rows, k, host).ok());
            }
            emulated_device device;
            const status s =
                launch_quantize(device, quantize{},
                                block_quantize_arguments<float>{one.data(), rows, k, k, 1, values.data + b * batch_stride,
                                                                stride, scales.data + b * scales_stride, tensor_scale});
            INFO(s.message() << device.result.report);
            REQUIRE(s.ok());
            const auto atoms = host.scale_atoms();
            int wrong = 0;
            for (std::size_t i = 0; i < atoms.size(); ++i) // padding is that of a block of zeros
                wrong += scales.data[b * scales_stride + static_cast<long_index_t>(i)] != atoms[i].bits;
            CHECK(wrong == 0);
            CHECK(static_cast<long_index_t>(atoms.size()) == scales_stride);
        }
    }
};

template <class FormatA, class FormatB, index_t M, index_t N, int Blocks>
void check(long_index_t m, long_index_t n, long_index_t k, long_index_t batch = 1, bool exact = false, float alpha = 1,
           long_index_t c_stride = 0)
{
    INFO(m << " x " << n << " x " << k << ", batch " << batch);
    using tile = tcgen05_scaled_tile<target, FormatA, FormatB, M, N, Blocks>;
    using epilogue_type = epilogue::linear<>;
    using kernels = tcgen05_scaled_kernels<tile, float, epilogue_type>;
    const operand_data<FormatA> a(m, k, batch, exact, 1);
    const operand_data<FormatB> b(n, k, batch, exact, 2);
    c_stride = c_stride > 0 ? c_stride : (n + 3) / 4 * 4;
    std::vector<float> c(static_cast<std::size_t>(batch * m * c_stride + 4), -1);
    float* const first = c.data() + (16 - reinterpret_cast<std::uintptr_t>(c.data()) % 16) % 16 / 4;
    typename kernels::arguments args;
    args.m = m, args.n = n, args.k = k, args.batch = batch;
    args.a = {a.values.data, a.stride, 1, a.batch_stride};
    args.b = {b.values.data, 1, b.stride, b.batch_stride};
    args.c = {first, c_stride, 1, m * c_stride};
    args.epilogue = epilogue::make_linear<float, float>(alpha, 0.0f, {}, nullptr, activation::none);
    args.a_scales = a.scales.data, args.b_scales = b.scales.data;
    args.a_scales_stride = a.scales_stride, args.b_scales_stride = b.scales_stride;
    args.tensor_scale = a.tensor_scale * b.tensor_scale;
    emulated_device device{{}, {}, 4};
    const status s = launch_block_scaled<kernels>(device, args);
    INFO(s.message() << device.result.report);
    REQUIRE(s.ok());
    CHECK(device.result.counters.shared_store_conflicts == 0);
    int wrong = 0;
    for (long_index_t x = 0; x < batch; ++x)
        for (long_index_t i = 0; i < m; ++i)
            for (long_index_t j = 0; j < n; ++j) {
                double sum = 0, magnitude = 0;
                for (long_index_t d = 0; d < k; ++d) {
                    const double product = a.expected[static_cast<std::size_t>(x)].value(i, d) *
                                           b.expected[static_cast<std::size_t>(x)].value(j, d);
                    sum += static_cast<double>(alpha) * product;
                    magnitude += std::fabs(static_cast<double>(alpha) * product);
                }
                const double error = std::fabs(static_cast<double>(first[(x * m + i) * c_stride + j]) - sum);
                // A rounding of the accumulator for each instruction, those of the scale of the tensor and of alpha.
                wrong += !(error <= (exact && !FormatA::has_tensor_scale
                                         ? 0
                                         : magnitude * 0x1p-24 * static_cast<double>(k / 32 + 4)));
            }
    CHECK(wrong == 0);
}

using fp8 = mx_format<float8_e4m3>;
using fp6 = mx_format<float6_e2m3>;
using fp4 = mx_format<float4_e2m1>;

} // namespace

TEST_CASE("sm_100a: products of MX operands of 8 bits", "[gemm][tcgen05][mx]")
{
    check<fp8, fp8, 128, 128, 1>(130, 150, 700);
    check<fp8, fp8, 128, 128, 1>(40, 33, 300, 2, true);
    check<fp8, fp8, 256, 256, 2>(200, 300, 900);
}

TEST_CASE("sm_100a: products of MX operands of 4 and 6 bits, and of both", "[gemm][tcgen05][mx]")
{
    check<fp4, fp4, 128, 128, 1>(130, 100, 1500, 1, false, 0.5f);
    check<fp4, fp4, 128, 128, 1>(3, 4, 1, 1, true);
    check<fp6, fp6, 128, 128, 1>(9, 130, 640, 1, true);
    check<fp4, fp8, 128, 128, 1>(60, 40, 300);
    check<fp4, fp4, 256, 256, 2>(300, 260, 1400);
}

TEST_CASE("sm_100a: products of NVFP4 operands", "[gemm][tcgen05][nvfp4]")
{
    check<nvfp4_format, nvfp4_format, 128, 128, 1>(130, 150, 1900);
    check<nvfp4_format, nvfp4_format, 128, 128, 1>(20, 9, 50, 3);
    check<nvfp4_format, nvfp4_format, 256, 256, 2>(256, 270, 1300, 1, false, 1, 271);
}

TEST_CASE("sm_100a: block-scaled products without k or without need of it are zeros", "[gemm][tcgen05][mx]")
{
    check<fp4, fp4, 128, 128, 1>(3, 4, 0, 1, true);
    check<fp4, fp4, 128, 128, 1>(3, 4, 70, 1, true, 0);
}

} // namespace tegula::test
