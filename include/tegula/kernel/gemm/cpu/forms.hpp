#pragma once

#include <tegula/block/dequantizing_loader.hpp>
#include <tegula/kernel/gemm/cpu/prologue.hpp>
#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_arguments.hpp>

/// Operands with scales on CPUs, as prologues. Elements are converted when they are packed, once for each block; the
/// product is that of the wider type.

namespace tegula {

/// Maker of the columns of quantised weights, in type Wide: element = (integer - zero point) * scale, rounded once.
template <class Wide, class Form>
struct dequantized_columns
{
    matrix_argument<const typename Form::packet> weights{};
    matrix_argument<const typename Form::scale> scales{};
    matrix_argument<const typename Form::zero> zeros{};

    template <class Target, int N>
    TEGULA_INLINE array<Wide, N> make(index_t column, index_t k, long_index_t batch) const
    {
        const auto* const packets = weights.data + batch * weights.batch_stride + column * weights.column_stride;
        array<Wide, N> made;
        typename Form::scale scale{};
        typename Form::zero zero{};
        for (int i = 0; i < N; ++i) {
            const index_t at = k + i;
            const auto packet = internal::read_scalar<Target>(packets + static_cast<long_index_t>(at / Form::packing) *
                                                                            weights.row_stride);
            const int q = internal::packet_element(packet, at % Form::packing);
            if constexpr (Form::group == 0) {
                made[i] = internal::widen_integer<Wide>(q);
            } else {
                if (i == 0 || at % Form::group == 0) {
                    scale = of_group<Target>(scales, column, at / Form::group, batch);
                    if constexpr (Form::has_zero_points)
                        zero = of_group<Target>(zeros, column, at / Form::group, batch);
                }
                made[i] = internal::dequantized<Wide, Form>(q, scale, zero);
            }
        }
        return made;
    }

    template <class Memory>
    void memory(const char* name, long_index_t columns, long_index_t k, long_index_t batch, Memory& memory) const
    {
        add_matrix(memory, weights, ceil_div(k, Form::packing), columns, batch, name);
        if constexpr (Form::group != 0)
            add_matrix(memory, scales, ceil_div(k, Form::group), columns, batch, "scales");
        if constexpr (Form::has_zero_points)
            add_matrix(memory, zeros, ceil_div(k, Form::group), columns, batch, "zero points");
    }

private:
    template <class Target, class T>
    static TEGULA_INLINE T of_group(const matrix_argument<const T>& x, index_t column, index_t group,
                                    long_index_t batch)
    {
        return internal::read_scalar<Target>(x.data + batch * x.batch_stride + column * x.column_stride +
                                             group * x.row_stride);
    }
};

/// Maker of elements with a scale for each block of `rows` rows and 128 of k; rows is 1 for A, 128 for B's columns.
template <class T>
struct block_scaled_elements
{
    const T* data = nullptr;
    long_index_t row_stride = 0, k_stride = 0, batch_stride = 0;
    const float* scales = nullptr;
    long_index_t scale_row_stride = 0, scale_k_stride = 0, scale_batch_stride = 0;
    index_t rows = 1; ///< rows that share a scale

    template <class Memory>
    void memory(const char* name, long_index_t count, long_index_t k, long_index_t batch, Memory& memory) const
    {
        add_matrix(memory, matrix_argument<const T>{data, row_stride, k_stride, batch_stride}, count, k, batch, name);
        add_matrix(memory, matrix_argument<const float>{scales, scale_row_stride, scale_k_stride, scale_batch_stride},
                   ceil_div(count, rows), ceil_div(k, block_scale_length), batch, "scales");
    }

    template <class Target, int N>
    TEGULA_INLINE array<float, N> make(index_t row, index_t k, long_index_t batch) const
    {
        // A vector of 4 starts at a multiple of 4 and lies in one block.
        const float scale =
            internal::read_scalar<Target>(scales + batch * scale_batch_stride + row / rows * scale_row_stride +
                                          k / block_scale_length * scale_k_stride);
        const T* const from = data + batch * batch_stride + row * row_stride;
        array<float, N> made;
        for (int i = 0; i < N; ++i)
            made[i] = static_cast<float>(internal::read_scalar<Target>(from + (k + i) * k_stride)) * scale;
        return made;
    }
};

/// Maker of elements of a format with block scales, an mx_format or nvfp4_format, packed as microscaled_gemm takes
/// them; Order is the scale_order of their scales.
template <class Format, class Order>
struct microscaled_elements
{
    using element_type = typename Format::element_type;
    using order = Order;

    const std::uint8_t* data = nullptr;
    long_index_t row_stride = 0, batch_stride = 0; ///< bytes
    const std::uint8_t* scales = nullptr;
    long_index_t scale_batch_stride = 0;
    long_index_t rows = 0, k = 0;
    float factor = 1; ///< multiplied into every element

    template <class Memory>
    void memory(const char* name, long_index_t count, long_index_t length, long_index_t batch, Memory& memory) const
    {
        add_matrix(memory, matrix_argument<const std::uint8_t>{data, row_stride, 1, batch_stride}, count,
                   mx_row_bytes<element_type>(length), batch, name);
        add_matrix(memory, matrix_argument<const std::uint8_t>{scales, 0, 1, scale_batch_stride}, 1,
                   Order::bytes(count, length), batch, "scales");
    }

    template <class Target, int N>
    TEGULA_INLINE array<float, N> make(index_t row, index_t first, long_index_t batch) const
    {
        // A vector of 4 starts at a multiple of 4 and lies in one block.
        constexpr int width = element_type::format::width;
        const std::uint8_t* const bytes = data + batch * batch_stride + row * row_stride;
        const auto scale = Format::scale_type::from_bits(internal::read_scalar<Target>(
            scales + batch * scale_batch_stride + Order::offset(row, first / Format::block, rows, k)));
        array<float, N> made;
        for (int i = 0; i < N; ++i) {
            const long_index_t bit = (first + i) * long_index_t{width};
            unsigned word = internal::read_scalar<Target>(bytes + bit / 8);
            if (bit % 8 + width > 8)
                word |= static_cast<unsigned>(internal::read_scalar<Target>(bytes + bit / 8 + 1)) << 8;
            const auto element =
                element_type::from_bits(static_cast<std::uint8_t>(word >> bit % 8 & ((1u << width) - 1)));
            made[i] = static_cast<float>(element) * static_cast<float>(scale) * factor;
        }
        return made;
    }
};

/// The kernels of one CPU tile for weights of one form; see quantized_weights_kernels. A has the tile's type.
template <class Tile, class Form, class C, class Epilogue>
struct cpu_quantized_weights_kernels
{
    using element = typename Tile::a_type;
    using arguments = quantized_weights_arguments<element, Form, C, Epilogue>;
    using products = prologue_kernels<Tile, strided_rows<element>,
                                      made_elements<element, dequantized_columns<element, Form>>, C, Epilogue>;

    /// launch(kernel{}, arguments of it). Precondition: can_implement(args) is ok.
    template <class Launch>
    static auto dispatch(const arguments& g, Launch&& launch)
    {
        const typename products::arguments product{
            g.m, g.n, g.k, g.batch, make_a_operand(g.a), {{g.b, g.scales, g.zeros}}, g.c, g.epilogue};
        return products::dispatch(product, [&](auto kernel) { return launch(kernel, product); });
    }
};

/// The kernels of one CPU tile of float for A and B in blocks with scales.
template <class Tile, class A, class B, class C, class Epilogue>
struct cpu_block_scaled_kernels
{
    using arguments = block_scaled_arguments<A, B, C, Epilogue>;
    using products = prologue_kernels<Tile, made_elements<float, block_scaled_elements<A>>,
                                      made_elements<float, block_scaled_elements<B>>, C, Epilogue>;

    template <class Launch>
    static auto dispatch(const arguments& g, Launch&& launch)
    {
        typename products::arguments product{g.m, g.n, g.k, g.batch};
        product.a.maker = {g.a.data,
                           g.a.row_stride,
                           g.a.column_stride,
                           g.a.batch_stride,
                           g.a_scales.data,
                           g.a_scales.row_stride,
                           g.a_scales.column_stride,
                           g.a_scales.batch_stride,
                           1};
        product.b.maker = {g.b.data,          g.b.column_stride,        g.b.row_stride,        g.b.batch_stride,
                           g.b_scales.data,   g.b_scales.column_stride, g.b_scales.row_stride, g.b_scales.batch_stride,
                           block_scale_length};
        product.c = g.c;
        product.epilogue = g.epilogue;
        return products::dispatch(product, [&](auto kernel) { return launch(kernel, product); });
    }
};

namespace detail {

template <class A, class B, class C, class Epilogue>
float tensor_scale_of(const microscaled_arguments<A, B, C, Epilogue>&)
{
    return 1;
}
template <class FormatA, class FormatB, class C, class Epilogue>
float tensor_scale_of(const scaled_format_arguments<FormatA, FormatB, C, Epilogue>& g)
{
    return g.tensor_scale;
}

template <class Tile, class ElementsA, class ElementsB, class Arguments>
struct cpu_scaled_kernels
{
    using arguments = Arguments;
    using products =
        prologue_kernels<Tile, made_elements<float, ElementsA>, made_elements<float, ElementsB>,
                         std::remove_pointer_t<decltype(Arguments::c.data)>, decltype(Arguments::epilogue)>;

    template <class Launch>
    static auto dispatch(const arguments& g, Launch&& launch)
    {
        typename products::arguments product{g.m, g.n, g.k, g.batch};
        product.a.maker = {g.a.data, g.a.row_stride, g.a.batch_stride, g.a_scales, g.a_scales_stride, g.m, g.k};
        product.b.maker = {g.b.data, g.b.column_stride, g.b.batch_stride, g.b_scales, g.b_scales_stride, g.n, g.k};
        product.a.maker.factor = tensor_scale_of(g);
        product.c = g.c;
        product.epilogue = g.epilogue;
        return products::dispatch(product, [&](auto kernel) { return launch(kernel, product); });
    }
};
template <class T>
using mx_elements = microscaled_elements<mx_format<T>, scale_order<mx_format<T>, false>>;
template <class Format>
using atom_elements = microscaled_elements<Format, scale_order<Format, true>>;

} // namespace detail

/// The kernels of one tile for operands in a Microscaling format.
template <class Tile, class A, class B, class C, class Epilogue>
using cpu_microscaled_kernels = detail::cpu_scaled_kernels<Tile, detail::mx_elements<A>, detail::mx_elements<B>,
                                                           microscaled_arguments<A, B, C, Epilogue>>;

/// The kernels of one tile for operands in formats whose scales lie in atoms, NVFP4 among them.
template <class Tile, class FormatA, class FormatB, class C, class Epilogue>
using cpu_scaled_format_kernels =
    detail::cpu_scaled_kernels<Tile, detail::atom_elements<FormatA>, detail::atom_elements<FormatB>,
                               scaled_format_arguments<FormatA, FormatB, C, Epilogue>>;

/// The kernel of one CPU tile for operands of any order; grouped_gemm and split_k_gemm are made of it.
template <class Tile, class C, class Epilogue>
using cpu_any_gemm = gemm_kernel<Tile, operand_order::any, operand_order::any, C, Epilogue, output_access::elements>;

} // namespace tegula
