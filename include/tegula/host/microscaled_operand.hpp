#pragma once

#include <tegula/host/block_quantized.hpp>
#include <tegula/host/cpu_device.hpp>
#include <tegula/kernel/gemm/arguments.hpp>
#include <tegula/kernel/gemm/microscaled/layout.hpp>

namespace tegula {

/// One operand of cpu_microscaled_gemm, [rows, k] of each product of the batch, quantised on the host as mx_quantize
/// and block_quantize do it on GPUs. Use it as microscaled_operand<T> for microscaled_arguments, or as
/// scaled_format_operand<Format> for scaled_format_arguments. T is an element of the Microscaling formats: float8_e4m3,
/// float6_e2m3, float4_e2m1 or another one.
///
///     microscaled_operand<float4_e2m1> a, b;
///     a.quantize({a_data, k, 1, 0}, m, k);                            // rows of A
///     b.quantize({b_data, b_column_stride, b_row_stride, 0}, n, k);   // columns of B
///     args.a = a.rows_of_a(), args.a_scales = a.scales(), args.a_scales_stride = a.scales_stride;
///
///   Format  an mx_format or nvfp4_format
///   Order   the scale_order of its scales
template <class Format, class Order>
struct block_scaled_operand
{
    using element_type = typename Format::element_type;
    using scale_type = typename Format::scale_type;

    long_index_t row_stride = 0, batch_stride = 0, scales_stride = 0; ///< bytes
    float tensor_scale = 1; ///< one for the batch; A's times B's is nvfp4_product_scale

    /// Quantises x. Its strides in elements: row_stride between rows, column_stride along k.
    ///
    /// Errors: out_of_memory; invalid_argument for NaN or an infinity if the format has a scale of the tensor.
    status quantize(const matrix_argument<const float>& x, long_index_t rows, long_index_t k, long_index_t batch = 1)
    {
        row_stride = ceil_div(mx_row_bytes<element_type>(k), long_index_t{32}) * 32;
        batch_stride = rows * row_stride;
        scales_stride = Order::bytes(rows, k);
        if (status s = values_.allocate(static_cast<std::size_t>(batch * batch_stride)); !s)
            return s;
        if (status s = scales_.allocate(static_cast<std::size_t>(batch * scales_stride)); !s)
            return s;
        std::vector<float> row(static_cast<std::size_t>(k));
        const auto read_row = [&](long_index_t number) {
            const float* const from = x.data + number / rows * x.batch_stride + number % rows * x.row_stride;
            for (long_index_t j = 0; j < k; ++j)
                row[static_cast<std::size_t>(j)] = from[j * x.column_stride];
        };
        if constexpr (Format::has_tensor_scale) {
            float largest = 0;
            for (long_index_t r = 0; r < batch * rows; ++r) {
                read_row(r);
                const float of_row = detail::largest_magnitude(row);
                largest = of_row > largest || std::isnan(of_row) ? of_row : largest;
                if (std::isnan(largest))
                    return detail::nvfp4_not_finite();
            }
            tensor_scale = nvfp4_tensor_scale(largest);
        }
        block_quantized<element_type, scale_type> quantized;
        quantized.rows = 1;
        quantized.k = k;
        quantized.block = Format::block;
        for (long_index_t r = 0; r < batch * rows; ++r) {
            read_row(r);
            detail::quantize_rows(
                quantized, row,
                [&](auto block) { return Format::scale(detail::largest_magnitude(block), tensor_scale); },
                [&](float v, auto scale) { return Format::element(v, scale, tensor_scale); });
            std::copy(quantized.values.begin(), quantized.values.end(),
                      static_cast<std::byte*>(values_.data()) + r * row_stride);
            auto* const of_matrix = static_cast<std::uint8_t*>(scales_.data()) + r / rows * scales_stride;
            for (long_index_t block = 0; block < quantized.blocks(); ++block)
                of_matrix[Order::offset(r % rows, block, rows, k)] =
                    static_cast<std::uint8_t>(quantized.scales[static_cast<std::size_t>(block)].bits);
        }
        return {};
    }

    /// The elements as microscaled_arguments takes them.
    matrix_argument<const std::uint8_t> rows_of_a() const { return {values(), row_stride, 1, batch_stride}; }
    matrix_argument<const std::uint8_t> columns_of_b() const { return {values(), 1, row_stride, batch_stride}; }
    const std::uint8_t* scales() const { return static_cast<const std::uint8_t*>(scales_.data()); }

private:
    const std::uint8_t* values() const { return static_cast<const std::uint8_t*>(values_.data()); }

    host_memory values_, scales_;
};

template <class T>
using microscaled_operand = block_scaled_operand<mx_format<T>, scale_order<mx_format<T>, false>>;
template <class Format>
using scaled_format_operand = block_scaled_operand<Format, scale_order<Format, true>>;

} // namespace tegula
