#pragma once

#include <tegula/host/block_quantized.hpp>
#include <tegula/host/cpu_device.hpp>
#include <tegula/kernel/gemm/arguments.hpp>
#include <tegula/kernel/gemm/microscaled/layout.hpp>

namespace tegula {

/// One operand of cpu_microscaled_gemm, [rows, k] of each product of the batch, quantised on the host: what mx_quantize
/// writes on GPUs. T is the element, float8_e4m3, float6_e2m3, float4_e2m1 or another of the Microscaling formats.
///
///     microscaled_operand<float4_e2m1> a, b;
///     a.quantize({a_data, k, 1, 0}, m, k);                            // rows of A
///     b.quantize({b_data, b_column_stride, b_row_stride, 0}, n, k);   // columns of B
///     args.a = a.rows_of_a(), args.a_scales = a.scales(), args.a_scales_stride = a.scales_stride;
template <class T>
struct microscaled_operand
{
    long_index_t row_stride = 0, batch_stride = 0, scales_stride = 0; ///< bytes

    /// Quantises by the Microscaling rule. Strides of x in elements: row_stride between rows, column_stride along k.
    ///
    /// Errors: out_of_memory.
    status quantize(const matrix_argument<const float>& x, long_index_t rows, long_index_t k, long_index_t batch = 1)
    {
        row_stride = mx_row_bytes<T>(k);
        batch_stride = rows * row_stride;
        scales_stride = mx_scale_bytes(rows, k);
        if (status s = values_.allocate(static_cast<std::size_t>(batch * batch_stride)); !s)
            return s;
        if (status s = scales_.allocate(static_cast<std::size_t>(batch * scales_stride)); !s)
            return s;
        std::vector<float> row(static_cast<std::size_t>(k));
        block_quantized<T, float8_e8m0> quantized;
        for (long_index_t r = 0; r < batch * rows; ++r) {
            const long_index_t b = r / rows, i = r % rows;
            for (long_index_t j = 0; j < k; ++j)
                row[static_cast<std::size_t>(j)] = x.data[b * x.batch_stride + i * x.row_stride + j * x.column_stride];
            if (status s = quantize_mx<T>(row, 1, k, quantized); !s)
                return s;
            std::copy(quantized.values.begin(), quantized.values.end(),
                      static_cast<std::byte*>(values_.data()) + r * row_stride);
            for (long_index_t block = 0; block < quantized.blocks(); ++block)
                static_cast<std::uint8_t*>(scales_.data())[b * scales_stride + mx_scale_offset(i, block, rows)] =
                    quantized.scales[static_cast<std::size_t>(block)].bits;
        }
        return {};
    }

    /// As microscaled_arguments has it.
    matrix_argument<const std::uint8_t> rows_of_a() const { return {values(), row_stride, 1, batch_stride}; }
    matrix_argument<const std::uint8_t> columns_of_b() const { return {values(), 1, row_stride, batch_stride}; }
    const std::uint8_t* scales() const { return static_cast<const std::uint8_t*>(scales_.data()); }

private:
    const std::uint8_t* values() const { return static_cast<const std::uint8_t*>(values_.data()); }

    host_memory values_, scales_;
};

} // namespace tegula
