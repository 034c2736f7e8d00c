#pragma once

/// Operands with block scales that the kernel quantised, and products of them against sums in double of the operands as the
/// host's rule quantises them. For targets whose scales lie in atoms of 128 rows.

#include "test/catch.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/host/block_quantized.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/reference/random.hpp>

#include <cmath>
#include <vector>

namespace tegula::test {

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
template <class Target, class Format>
struct operand_data
{
    using element = typename Format::element_type;
    using quantize = block_quantize<Target, Format, float>;
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
                launch(device, quantize{},
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

/// Elements of C = alpha A B, each product of the batch after the other with rows c_stride apart, that are not the sum in
/// double within the roundings of instructions that take step_k of k.
template <class Target, class FormatA, class FormatB>
int count_wrong(const operand_data<Target, FormatA>& a, const operand_data<Target, FormatB>& b, const float* c,
                long_index_t c_stride, long_index_t k, bool exact, float alpha, long_index_t step_k)
{
    const long_index_t m = a.rows, n = b.rows;
    int wrong = 0;
    for (std::size_t x = 0; x < a.expected.size(); ++x)
        for (long_index_t i = 0; i < m; ++i)
            for (long_index_t j = 0; j < n; ++j) {
                double sum = 0, magnitude = 0;
                for (long_index_t d = 0; d < k; ++d) {
                    const double product = a.expected[x].value(i, d) * b.expected[x].value(j, d);
                    sum += static_cast<double>(alpha) * product;
                    magnitude += std::fabs(static_cast<double>(alpha) * product);
                }
                const double got = static_cast<double>(c[(static_cast<long_index_t>(x) * m + i) * c_stride + j]);
                // A rounding of the accumulator for each instruction, those of the scale of the tensor and of alpha.
                const double bound = magnitude * 0x1p-24 * static_cast<double>(k / step_k + 4);
                wrong += !(std::fabs(got - sum) <= (exact && !FormatA::has_tensor_scale ? 0 : bound));
            }
    return wrong;
}

using mxfp8 = mx_format<float8_e4m3>;
using mxfp6 = mx_format<float6_e2m3>;
using mxfp4 = mx_format<float4_e2m1>;

} // namespace tegula::test
