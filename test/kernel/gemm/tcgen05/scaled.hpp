#pragma once

/// Block-scaled products on sm_100a by operands that the kernel quantised, against sums in double of the operands as the
/// host's rule quantises them.

#include "test/kernel/gemm/forms/block_scaled_operands.hpp"

#include <tegula/gemm.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/product_list.hpp>

namespace tegula::test {

using target = arch::sm_100a;

/// A product by launch(device, arguments), whose arguments are of the kernels of a tile.
template <class FormatA, class FormatB, class Kernels, class Launch>
void check_scaled_by(const Launch& launch, long_index_t m, long_index_t n, long_index_t k, long_index_t batch = 1,
                     bool exact = false, float alpha = 1, long_index_t c_stride = 0)
{
    INFO(m << " x " << n << " x " << k << ", batch " << batch);
    const operand_data<target, FormatA> a(m, k, batch, exact, 1);
    const operand_data<target, FormatB> b(n, k, batch, exact, 2);
    c_stride = c_stride > 0 ? c_stride : (n + 3) / 4 * 4;
    std::vector<float> c(static_cast<std::size_t>(batch * m * c_stride + 4), -1);
    float* const first = c.data() + (16 - reinterpret_cast<std::uintptr_t>(c.data()) % 16) % 16 / 4;
    typename Kernels::arguments args;
    args.m = m, args.n = n, args.k = k, args.batch = batch;
    args.a = {a.values.data, a.stride, 1, a.batch_stride};
    args.b = {b.values.data, 1, b.stride, b.batch_stride};
    args.c = {first, c_stride, 1, m * c_stride};
    args.epilogue = epilogue::make_linear<float, float>(alpha, 0.0f, {}, nullptr, activation::none);
    args.a_scales = a.scales.data, args.b_scales = b.scales.data;
    args.a_scales_stride = a.scales_stride, args.b_scales_stride = b.scales_stride;
    args.tensor_scale = a.tensor_scale * b.tensor_scale;
    emulated_device device{{}, {}, 4};
    const status s = launch(device, args);
    INFO(s.message() << device.result.report);
    REQUIRE(s.ok());
    CHECK(device.result.counters.shared_store_conflicts == 0);
    CHECK(count_wrong(a, b, first, c_stride, k, exact, alpha, 32) == 0);
}

template <class FormatA, class FormatB, index_t M, index_t N, int Blocks>
using scaled_kernels =
    tcgen05_scaled_kernels<tcgen05_scaled_tile<target, FormatA, FormatB, M, N, Blocks>, float, epilogue::linear<>>;

/// A product by the kernel of a tile that stores C so.
template <class FormatA, class FormatB, index_t M, index_t N, int Blocks,
          output_store Store = output_store::tensor_copies, class... Sizes>
void check_scaled(Sizes... sizes)
{
    using kernels = scaled_kernels<FormatA, FormatB, M, N, Blocks>;
    check_scaled_by<FormatA, FormatB, kernels>(
        [](emulated_device& device, const auto& args) {
            const typename kernels::template kernel<Store> kernel{};
            return launch(device, kernel, arguments_for(kernel, args));
        },
        sizes...);
}

/// A product whose k is split in three.
template <class FormatA, class FormatB, index_t M, index_t N, int Blocks, class... Sizes>
void check_scaled_split_k(Sizes... sizes)
{
    using kernels = scaled_kernels<FormatA, FormatB, M, N, Blocks>;
    check_scaled_by<FormatA, FormatB, kernels>(
        [](emulated_device& device, const auto& args) {
            const auto kernel =
                with_partition<work_partition::split_k>(typename kernels::template kernel<output_store::direct>{});
            const long_index_t bytes = split_k_workspace_bytes<std::remove_const_t<decltype(kernel)>>(args, 4, 3);
            emulated_memory memory;
            if (const status s = memory.allocate(static_cast<std::size_t>(bytes)); !s)
                return s;
            return launch(device, kernel, arguments_for(kernel, args, 3, {memory.data(), bytes}));
        },
        sizes...);
}

/// A product by the kernel of a tile that the family finds.
template <class FormatA, class FormatB, index_t M, index_t N, int Blocks, class... Sizes>
void check_scaled_dispatch(Sizes... sizes)
{
    using kernels = scaled_kernels<FormatA, FormatB, M, N, Blocks>;
    check_scaled_by<FormatA, FormatB, kernels>(
        [](emulated_device& device, const auto& args) { return launch(device, kernels{}, args); }, sizes...);
}

/// A product in a list behind one of nothing or, if tensor copies would write past its rows, behind one of fewer columns.
template <class FormatA, class FormatB, index_t M, index_t N, int Blocks, class... Sizes>
void check_scaled_list(Sizes... sizes)
{
    using kernels = scaled_kernels<FormatA, FormatB, M, N, Blocks>;
    check_scaled_by<FormatA, FormatB, kernels>(
        [](emulated_device& device, const auto& args) {
            typename kernels::arguments products[] = {args, args};
            const long_index_t whole = args.n / 4 * 4;
            const auto room = static_cast<std::size_t>(args.batch * args.c.batch_stride + 4);
            std::vector<float> c(room);
            products[0].m = whole < args.n ? args.m : 0;
            products[0].n = whole;
            products[0].c.data = c.data() + (16 - reinterpret_cast<std::uintptr_t>(c.data()) % 16) % 16 / 4;
            return launch(device, product_list<kernels>{}, {products, 2});
        },
        sizes...);
}

} // namespace tegula::test
