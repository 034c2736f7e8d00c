#pragma once

/// Block-scaled products on sm_100a by operands that the kernel quantised, against sums in double of the operands as the
/// host's rule quantises them.

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
            const status s = launch_quantize(
                device, quantize{},
                block_quantize_arguments<float>{one.data(), rows, k, k, 1, values.data + b * batch_stride, stride,
                                                scales.data + b * scales_stride, tensor_scale});
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

/// A product by the kernel of a tile that stores C so.
template <class FormatA, class FormatB, index_t M, index_t N, int Blocks,
          output_store Store = output_store::tensor_copies>
void check_scaled(long_index_t m, long_index_t n, long_index_t k, long_index_t batch = 1, bool exact = false,
                  float alpha = 1, long_index_t c_stride = 0)
{
    INFO(m << " x " << n << " x " << k << ", batch " << batch);
    using tile = tcgen05_scaled_tile<target, FormatA, FormatB, M, N, Blocks>;
    using epilogue_type = epilogue::linear<>;
    constexpr operand_order along_k = operand_order::k_contiguous;
    using kernel = tcgen05_gemm<tile, along_k, along_k, float, epilogue_type, Store>;
    const operand_data<FormatA> a(m, k, batch, exact, 1);
    const operand_data<FormatB> b(n, k, batch, exact, 2);
    c_stride = c_stride > 0 ? c_stride : (n + 3) / 4 * 4;
    std::vector<float> c(static_cast<std::size_t>(batch * m * c_stride + 4), -1);
    float* const first = c.data() + (16 - reinterpret_cast<std::uintptr_t>(c.data()) % 16) % 16 / 4;
    typename kernel::product_type args;
    args.m = m, args.n = n, args.k = k, args.batch = batch;
    args.a = {a.values.data, a.stride, 1, a.batch_stride};
    args.b = {b.values.data, 1, b.stride, b.batch_stride};
    args.c = {first, c_stride, 1, m * c_stride};
    args.epilogue = epilogue::make_linear<float, float>(alpha, 0.0f, {}, nullptr, activation::none);
    args.a_scales = a.scales.data, args.b_scales = b.scales.data;
    args.a_scales_stride = a.scales_stride, args.b_scales_stride = b.scales_stride;
    args.tensor_scale = a.tensor_scale * b.tensor_scale;
    emulated_device device{{}, {}, 4};
    const status s = launch_warp_specialized(device, kernel{}, args);
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
                wrong += !(
                    error <=
                    (exact && !FormatA::has_tensor_scale ? 0 : magnitude * 0x1p-24 * static_cast<double>(k / 32 + 4)));
            }
    CHECK(wrong == 0);
}

using mxfp8 = mx_format<float8_e4m3>;
using mxfp6 = mx_format<float6_e2m3>;
using mxfp4 = mx_format<float4_e2m1>;

} // namespace tegula::test
