#pragma once

#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/product_protocol.hpp>

#include "test/kernel/gemm/forms/forms.hpp"

namespace tegula::test {

/// The epilogue that applies a mixed GEMM's column scales: none where the weights have groups of their own.
template <class Form>
using quantized_weights_epilogue =
    std::conditional_t<Form::group == 0, epilogue::chain<epilogue::scale_columns<>>, epilogue::none>;

template <class Kernels, class A, class Form>
void check_quantized_weights_case(const gemm_case& f, double least_input, int (&uses)[2])
{
    using args_type = typename Kernels::arguments;
    using packet = typename Form::packet;
    using scale = typename Form::scale;
    using zero = typename Form::zero;
    // Takes small inputs as zero: activations, and weights times the scales of their groups. Other weights are scaled
    // after the product.
    const auto multiplied = [&](double x) { return std::fabs(x) < least_input ? 0 : x; };
    args_type args{};
    args.m = f.m, args.n = f.n, args.k = f.k, args.batch = f.batch;
    stored_matrix<A> a(f.m, f.k, f.batch, f.a, f.rows);
    stored_matrix<std::uint8_t> b(args.packets_k(), f.n, f.batch, f.b, f.rows);
    stored_matrix<float> c(f.m, f.n, f.batch, f.c, f.rows);
    // Scales and zero points have any order, whichever the kernel.
    stored_matrix<scale> scales(args.groups(), f.n, f.batch, static_cast<memory_order>(f.activation), padding::odd);
    stored_matrix<zero> zeros(Form::has_zero_points ? args.groups() : 0, f.n, f.batch,
                              static_cast<memory_order>(f.activation), padding::vectors);
    std::vector<float> columns(static_cast<std::size_t>(f.n));
    a.fill(1);
    b.fill(2);
    scales.fill(3);
    zeros.fill(5);
    fill_uniform(std::span(columns), 4);
    const auto bytes = b.source();
    args.a = a.source();
    args.b = {reinterpret_cast<const packet*>(bytes.data), bytes.row_stride, bytes.column_stride, bytes.batch_stride};
    args.c = c.argument();
    args.scales = scales.source();
    args.zeros = zeros.source();
    if constexpr (Form::group == 0)
        args.epilogue = epilogue::make_chain(epilogue::scale_columns<>{columns.data(), 0});
    run_form<Kernels>(args, uses);

    const auto zero_point = [&]([[maybe_unused]] long_index_t batch, [[maybe_unused]] long_index_t group,
                                [[maybe_unused]] long_index_t j) {
        if constexpr (Form::has_zero_points)
            return static_cast<double>(zeros.values[zeros.where.at(batch, group, j)]);
        else
            return 0.0;
    };
    const auto weight = [&](long_index_t batch, long_index_t k, long_index_t j) {
        const std::uint8_t bits = b.values[b.where.at(batch, k / Form::packing, j)];
        const int q =
            tegula::detail::packet_element(__builtin_bit_cast(packet, bits), static_cast<int>(k % Form::packing));
        if constexpr (Form::group == 0)
            return q * static_cast<double>(columns[static_cast<std::size_t>(j)]);
        else
            return multiplied((q - zero_point(batch, k / Form::group, j)) *
                              static_cast<double>(scales.values[scales.where.at(batch, k / Form::group, j)]));
    };
    const auto activation = [&](long_index_t batch, long_index_t i, long_index_t k) {
        return multiplied(static_cast<double>(a.values[a.where.at(batch, i, k)]));
    };
    // Each weight is rounded to float and then to A's type; without groups it is exact, and the column's scale is one
    // more product.
    const double input = Form::group == 0 ? 0 : std::ldexp(1.0, -number_traits<A>::mantissa_bits - 1) * 1.001;
    const auto close = [&](float x, double value, double magnitude, auto...) {
        return is_close(static_cast<double>(x), value, magnitude, static_cast<double>(f.k + 1), input);
    };
    CHECK(all_elements(f, c, multiply_in_double(f, activation, weight), close));
    CHECK(c.surroundings_untouched());
}

template <class Tile, class Form, operand_order A, operand_order B>
void check_quantized_weights(const std::vector<gemm_case>& cases)
{
    using kernels = two_of<quantized_weights_kernels<Tile, Form, float, quantized_weights_epilogue<Form>>, A, B>;
    int uses[2] = {};
    for (const gemm_case& f : cases) {
        INFO(f.text());
        check_quantized_weights_case<kernels, typename Tile::a_type, Form>(f, least_input_of<Tile>, uses);
    }
    CHECK(uses[0] > 10);
    CHECK(uses[1] > 10);
}

/// Kernels whose blocks share k.
template <class Kernels>
struct weights_in_parts
{
    using arguments = typename Kernels::arguments;

    static void run(const arguments& args)
    {
        Kernels::dispatch(args, [&](auto kernel) {
            using split = split_k_gemm<decltype(kernel)>;
            typename split::arguments parts{args, 3, {}};
            std::vector<raw_vector<16>> workspace(static_cast<std::size_t>(split::workspace_bytes(parts) / 16));
            parts.workspace = {workspace.data(), split::workspace_bytes(parts)};
            emulated_device device;
            const status ran = launch(device, split{}, parts);
            INFO(device.result.report << ran.message());
            REQUIRE(ran.ok());
        });
    }
};

/// Weights in whole groups and in a part of one, by blocks that share k.
template <class Tile, class Form, operand_order A, operand_order B>
void check_weights_in_parts()
{
    using kernels = two_of<quantized_weights_kernels<Tile, Form, float, quantized_weights_epilogue<Form>>, A, B>;
    int uses[2] = {};
    for (gemm_case f : {gemm_case{5, 72, 900}, gemm_case{70, 9, 515}, gemm_case{3, 16, 40}}) {
        f.a = memory_order::row_major;
        f.b = B == operand_order::k_contiguous ? memory_order::column_major : memory_order::row_major;
        INFO(f.text());
        check_quantized_weights_case<weights_in_parts<kernels>, typename Tile::a_type, Form>(f, least_input_of<Tile>,
                                                                                             uses);
    }
}

/// The kernels of a tile and a form of weights for one order of the operands, on a quarter of the cases or on all.
template <class Tile, class Form, operand_order A, operand_order B>
struct quantized_weights_check
{
    static void run(quarter part) { check_quantized_weights<Tile, Form, A, B>(two_kernel_cases(A, B, part)); }
    static void run_grid() { check_quantized_weights<Tile, Form, A, B>(grid_cases(A, B)); }
};

} // namespace tegula::test
