// not in the demo
//
// Products of operands in Microscaling formats: the emulator quantises them by the library's kernel and multiplies what it
// wrote.

#include "emulated.hpp"

#include <tegula/host/block_quantized.hpp>
#include <tegula/host/launch_microscaled.hpp>

namespace gemm_example {
namespace {

using target = tegula::arch::gfx950;

/// The numbers that a matrix of `rows` times k stands for once it is quantised along k, in place.
template <class T>
tegula::status quantize(float* values, long_index_t rows, long_index_t row_stride, long_index_t k,
                        long_index_t k_stride)
{
    std::vector<float> row(static_cast<std::size_t>(k));
    for (long_index_t r = 0; r < rows; ++r) {
        for (long_index_t i = 0; i < k; ++i)
            row[static_cast<std::size_t>(i)] = values[r * row_stride + i * k_stride];
        tegula::block_quantized<T, tegula::float8_e8m0> quantized;
        if (const tegula::status s = tegula::quantize_mx<T>(row, 1, k, quantized); !s)
            return s;
        for (long_index_t i = 0; i < k; ++i)
            values[r * row_stride + i * k_stride] = static_cast<float>(quantized.value(0, i));
    }
    return {};
}

/// One operand [rows, k] of all products of the batch, quantised by the kernel.
template <class T>
struct packed_operand
{
    tegula::emulated_memory values, scales;
    long_index_t stride = 0, batch_stride = 0, scales_stride = 0;

    tegula::status fill(tegula::emulated_device& device, const tegula::matrix_argument<const void>& x,
                        long_index_t rows, long_index_t row_stride, long_index_t k, long_index_t k_stride,
                        long_index_t batch)
    {
        stride = tegula::mx_row_bytes<T>(k);
        batch_stride = rows * stride;
        scales_stride = tegula::mx_scale_bytes(rows, k);
        tegula::status s = values.allocate(static_cast<std::size_t>(batch * batch_stride));
        if (s)
            s = scales.allocate(static_cast<std::size_t>(batch * scales_stride));
        for (long_index_t b = 0; s && b < batch; ++b)
            s = tegula::launch_quantize(device, tegula::mx_quantize<target, T, float>{},
                                        tegula::mx_quantize_arguments<float>{
                                            static_cast<const float*>(x.data) + b * x.batch_stride, rows, k, row_stride,
                                            k_stride, static_cast<std::uint8_t*>(values.data()) + b * batch_stride,
                                            stride, static_cast<std::uint8_t*>(scales.data()) + b * scales_stride});
        return s;
    }
};

template <class T, class Tile>
run_result multiply(const problem& p, const run_options& options)
{
    using kernel = tegula::microscaled_gemm<Tile, float, tegula::epilogue::linear<>>;
    run_result result;
    tegula::emulated_device device;
    device.config.checks = options.checks;
    device.config.progress = &examples::progress::report;
    const auto start = std::chrono::steady_clock::now();
    packed_operand<T> a, b;
    result.status = a.fill(device, p.a, p.m, p.a.row_stride, p.k, p.a.column_stride, p.batch);
    if (result.status)
        result.status = b.fill(device, p.b, p.n, p.b.column_stride, p.k, p.b.row_stride, p.batch);
    if (result.status) {
        const auto plain = make_arguments<float>(p);
        typename kernel::arguments args;
        args.m = p.m, args.n = p.n, args.k = p.k, args.batch = p.batch;
        args.a = {static_cast<const std::uint8_t*>(a.values.data()), a.stride, 1, a.batch_stride};
        args.b = {static_cast<const std::uint8_t*>(b.values.data()), 1, b.stride, b.batch_stride};
        args.c = plain.c;
        args.epilogue = plain.epilogue;
        args.a_scales = static_cast<const std::uint8_t*>(a.scales.data());
        args.b_scales = static_cast<const std::uint8_t*>(b.scales.data());
        args.a_scales_stride = a.scales_stride;
        args.b_scales_stride = b.scales_stride;
        result.status = tegula::launch_gemm(device, kernel{}, args);
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.report = device.result.report;
    result.counters = device.result.counters;
    return result;
}

template <class T>
bool add(const char* type)
{
    using tile = typename tegula::microscaled_tiles<target, T>::t128x128;
    kernel_entry entry{target::chip().name, type, device::emulator, element::f32, {}, &multiply<T, tile>, nullptr};
    tegula::tile_description& t = entry.tile;
    t.name = "t128x128";
    t.block_m = tile::block_m, t.block_n = tile::block_n, t.block_k = tile::block_k;
    t.waves_m = tile::waves_m, t.waves_n = tile::waves_n, t.stages = tile::stages;
    t.threads = tile::block_threads;
    t.shared_bytes =
        tile::template shared_bytes<tegula::operand_order::k_contiguous, tegula::operand_order::k_contiguous>();
    t.accumulators = tile::accumulator_registers;
    t.input_bytes = 1;
    entry.quantize = &quantize<T>;
    return add_kernels({entry});
}

const bool added[] = {add<tegula::float8_e4m3>("mxfp8_e4m3"), add<tegula::float6_e2m3>("mxfp6_e2m3"),
                      add<tegula::float4_e2m1>("mxfp4")};

} // namespace
} // namespace gemm_example
