#pragma once

// Products of operands in formats with block scales: the emulator quantises them by the library's kernel and multiplies
// what it wrote.

#include "emulated.hpp"
#include "quantize.hpp"

#include <tegula/gemm.hpp>
#include <tegula/host/launch.hpp>

#include <cmath>

namespace gemm_example {

/// One operand [rows, k] of all products of the batch, quantised by the kernel.
template <class Target, class Format>
struct packed_operand
{
    using element_type = typename Format::element_type;
    using kernel = tegula::block_quantize<Target, Format, float>;

    tegula::emulated_memory values, scales;
    long_index_t stride = 0, batch_stride = 0, scales_stride = 0;
    float tensor_scale = 1; ///< of all matrices of the batch

    tegula::status fill(tegula::emulated_device& device, const tegula::matrix_argument<const void>& x,
                        long_index_t rows, long_index_t row_stride, long_index_t k, long_index_t k_stride,
                        long_index_t batch)
    {
        const auto* const numbers = static_cast<const float*>(x.data);
        stride = (tegula::mx_row_bytes<element_type>(k) + 31) / 32 * 32;
        batch_stride = rows * stride;
        scales_stride = kernel::layout::bytes(rows, k);
        tegula::status s = values.allocate(static_cast<std::size_t>(batch * batch_stride));
        if (s)
            s = scales.allocate(static_cast<std::size_t>(batch * scales_stride));
        if constexpr (Format::has_tensor_scale) {
            float largest = 0;
            for (long_index_t b = 0; b < batch; ++b)
                for (long_index_t i = 0; i < rows * k; ++i)
                    largest = std::fmax(largest,
                                        std::fabs(numbers[b * x.batch_stride + i / k * row_stride + i % k * k_stride]));
            tensor_scale = tegula::nvfp4_tensor_scale(largest);
        }
        for (long_index_t b = 0; s && b < batch; ++b)
            s = tegula::launch(device, kernel{},
                               tegula::block_quantize_arguments<float>{
                                   numbers + b * x.batch_stride, rows, k, row_stride, k_stride,
                                   static_cast<std::uint8_t*>(values.data()) + b * batch_stride, stride,
                                   static_cast<std::uint8_t*>(scales.data()) + b * scales_stride, tensor_scale});
        return s;
    }
};

/// A tile for operands along k in packed rows; block_k in elements.
template <class Tile>
tegula::tile_description describe_scaled(const char* name, tegula::index_t block_k)
{
    tegula::tile_description t;
    t.name = name;
    t.block_m = Tile::block_m, t.block_n = Tile::block_n, t.block_k = block_k;
    t.waves_m = Tile::waves_m, t.waves_n = Tile::waves_n, t.stages = Tile::stages;
    t.threads = Tile::block_threads;
    t.shared_bytes =
        Tile::template shared_bytes<tegula::operand_order::k_contiguous, tegula::operand_order::k_contiguous>();
    t.accumulators = Tile::accumulator_registers;
    t.input_bytes = 1;
    return t;
}

/// Quantises the operands of a product and runs launch(device, arguments), arguments of type Arguments.
template <class Target, class Format, class Arguments, class Launch>
run_result multiply_quantized(const problem& p, const run_options& options, const Launch& launch)
{
    run_result result;
    tegula::emulated_device device;
    device.config.checks = options.checks;
    device.config.progress = &examples::progress::report;
    const auto start = std::chrono::steady_clock::now();
    packed_operand<Target, Format> a, b;
    result.status = a.fill(device, p.a, p.m, p.a.row_stride, p.k, p.a.column_stride, p.batch);
    if (result.status)
        result.status = b.fill(device, p.b, p.n, p.b.column_stride, p.k, p.b.row_stride, p.batch);
    if (result.status) {
        const auto plain = make_arguments<float>(p);
        Arguments args;
        args.m = p.m, args.n = p.n, args.k = p.k, args.batch = p.batch;
        args.a = {static_cast<const std::uint8_t*>(a.values.data()), a.stride, 1, a.batch_stride};
        args.b = {static_cast<const std::uint8_t*>(b.values.data()), 1, b.stride, b.batch_stride};
        args.c = plain.c;
        args.epilogue = plain.epilogue;
        args.a_scales = static_cast<const std::uint8_t*>(a.scales.data());
        args.b_scales = static_cast<const std::uint8_t*>(b.scales.data());
        args.a_scales_stride = a.scales_stride;
        args.b_scales_stride = b.scales_stride;
        if constexpr (Format::has_tensor_scale)
            args.epilogue = set_tensor_scale(args, p, a.tensor_scale, b.tensor_scale);
        result.status = launch(device, args);
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.report = device.result.report;
    result.counters = device.result.counters;
    return result;
}

/// The kernel of a target for operands of a format and the name of its tile. Scales lie in atoms but for gfx950.
template <class Target, class Format, class TileName>
struct block_scaled_choice
{
    using tiles =
        std::conditional_t<Target::chip().vendor == tegula::vendor::amd, tegula::scaled_wave_tiles<Target, Format>,
                           tegula::scaled_warp_tiles<Target, Format>>;
    using tile = typename TileName::template of<tiles>;
    using kernel = tegula::microscaled_gemm<tile, float, tegula::epilogue::linear<>>;
    using arguments = typename kernel::product_type;

    static tegula::tile_description describe() { return describe_scaled<tile>(TileName::name, tile::step_k); }
};

template <class Format, class TileName>
struct block_scaled_choice<tegula::arch::gfx950, Format, TileName>
{
    using tile =
        typename TileName::template of<tegula::microscaled_tiles<tegula::arch::gfx950, typename Format::element_type>>;
    using kernel = tegula::microscaled_gemm<tile, float, tegula::epilogue::linear<>>;
    using arguments = typename kernel::arguments;

    static tegula::tile_description describe() { return describe_scaled<tile>(TileName::name, tile::block_k); }
};

/// Where there is tensor memory. C goes from registers to memory, so that one kernel takes every stride of C.
template <class Target, class Format, class TileName>
    requires(Target::chip().tensor_columns > 0)
struct block_scaled_choice<Target, Format, TileName>
{
    using tile = typename TileName::template of<tegula::tcgen05_scaled_tiles<Target, Format>>;
    using kernel = tegula::tcgen05_gemm<tile, tegula::operand_order::k_contiguous, tegula::operand_order::k_contiguous,
                                        float, tegula::epilogue::linear<>, tegula::output_store::direct>;
    using arguments = typename kernel::product_type;

    static tegula::tile_description describe()
    {
        tegula::tile_description described = tegula::describe<tile>(TileName::name);
        described.shared_bytes = kernel::shared_bytes;
        described.stages = kernel::stages;
        return described;
    }
};

template <class Target, class Format, class TileName>
run_result multiply_block_scaled(const problem& p, const run_options& options)
{
    using choice = block_scaled_choice<Target, Format, TileName>;
    return multiply_quantized<Target, Format, typename choice::arguments>(
        p, options, [&](auto& device, const auto& args) {
            const typename choice::kernel kernel{};
            if constexpr (Target::chip().tensor_columns > 0) {
                device.multiprocessors = tegula::chip::speed_of(Target::chip()).compute_units;
                return p.m == 0 || p.n == 0 || p.batch == 0
                           ? tegula::status()
                           : tegula::launch(device, kernel, tegula::arguments_for(kernel, args));
            } else {
                return tegula::launch(device, kernel, {args});
            }
        });
}

/// Adds the kernel of a tile for operands of the format that the program calls `type`.
template <class Target, class Format, class TileName>
bool add_block_scaled(const char* type)
{
    kernel_entry entry{Target::chip().name,
                       type,
                       device::emulator,
                       element::f32,
                       {},
                       &multiply_block_scaled<Target, Format, TileName>,
                       nullptr};
    entry.tile = block_scaled_choice<Target, Format, TileName>::describe();
    entry.quantize = &quantize<Format>;
    return add_kernels({entry});
}

} // namespace gemm_example
