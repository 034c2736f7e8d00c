#pragma once

#include "test/kernel/gemm/forms/block_scaled_operands.hpp"
#include "test/kernels.hpp"

#include <tegula/gemm.hpp>

namespace tegula::test {

/// Products of operands that the kernel quantises to the formats of a tile for waves or warps.
template <class Target, class Format, class Tile>
void check_scaled(long_index_t m, long_index_t n, long_index_t k, long_index_t batch = 1, bool exact = false,
                  float alpha = 1)
{
    INFO(m << " x " << n << " x " << k << ", batch " << batch);
    using kernel = microscaled_gemm<Tile, float, epilogue::linear<>>;
    using format_b = typename Tile::b_format;
    const operand_data<Target, Format> a(m, k, batch, exact, 1);
    const operand_data<Target, format_b> b(n, k, batch, exact, 2);
    const long_index_t c_stride = n + 1;
    std::vector<float> c(static_cast<std::size_t>(batch * m * c_stride), -1);
    typename kernel::product_type args;
    args.m = m, args.n = n, args.k = k, args.batch = batch;
    args.a = {a.values.data, a.stride, 1, a.batch_stride};
    args.b = {b.values.data, 1, b.stride, b.batch_stride};
    args.c = {c.data(), c_stride, 1, m * c_stride};
    args.epilogue = epilogue::make_linear<float, float>(alpha, 0.0f, {}, nullptr, activation::none);
    args.a_scales = a.scales.data, args.b_scales = b.scales.data;
    args.a_scales_stride = a.scales_stride, args.b_scales_stride = b.scales_stride;
    args.tensor_scale = a.tensor_scale * b.tensor_scale;
    emulated_device device;
    const status s = launch(device, kernel{}, {args});
    INFO(s.message() << device.result.report);
    REQUIRE(s.ok());
    if (Target::chip().vendor == vendor::nvidia || mx_row_bytes<typename Format::element_type>(mx_step) % 64 == 0)
        // on AMD rows of 6 bits meet in banks
        CHECK(device.result.counters.shared_load_conflicts == 0);
    CHECK(device.result.counters.shared_store_conflicts == 0);
    CHECK(count_wrong(a, b, c.data(), c_stride, k, exact, alpha, Tile::atom::k) == 0);
}

} // namespace tegula::test
