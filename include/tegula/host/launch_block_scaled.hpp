#pragma once

#include <tegula/host/launch_microscaled.hpp>
#include <tegula/host/launch_warp_specialized.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_dispatch.hpp>

/// Products of operands with scales of blocks along k on sm_100a and sm_103a; see launch_gemm.hpp.

namespace tegula {

/// What such a product reads and writes.
template <class FormatA, class FormatB, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const scaled_format_arguments<FormatA, FormatB, C, Epilogue>& args)
{
    const auto operand = [&](const void* data, long_index_t rows, long_index_t stride, long_index_t row,
                             long_index_t batch_stride, const char* name) {
        memory.read(data, static_cast<std::size_t>((rows - 1) * stride + row + (args.batch - 1) * batch_stride), name);
    };
    const auto scales = [&](const std::uint8_t* data, long_index_t rows, int block, long_index_t stride,
                            const char* name) {
        const long_index_t bytes = scale_atom_bytes(rows, ceil_div(args.k, block));
        memory.read(data, static_cast<std::size_t>(bytes + (args.batch - 1) * stride), name);
    };
    if (args.k > 0 && args.m > 0 && args.n > 0 && args.batch > 0) {
        operand(args.a.data, args.m, args.a.row_stride, mx_row_bytes<typename FormatA::element_type>(args.k),
                args.a.batch_stride, "A");
        operand(args.b.data, args.n, args.b.column_stride, mx_row_bytes<typename FormatB::element_type>(args.k),
                args.b.batch_stride, "B");
        scales(args.a_scales, args.m, FormatA::block, args.a_scales_stride, "scales of A");
        scales(args.b_scales, args.n, FormatB::block, args.b_scales_stride, "scales of B");
    }
    detail::add_matrix(memory, args.c, args.m, args.n, args.batch, "C");
}

/// Starts the kernel of Kernels, tcgen05_scaled_kernels, that takes the product; a product without elements starts none.
///
/// Errors: those of can_implement and launch_warp_specialized; unsupported if tensor copies cannot address an operand.
template <class Kernels, class Device>
status launch_block_scaled(Device&& device, const typename Kernels::arguments& args)
{
    if (status s = can_implement(args); !s)
        return device.refuse(s);
    if (args.m == 0 || args.n == 0 || args.batch == 0)
        return {};
    return Kernels::dispatch(
        args, [&](auto kernel) { return launch_warp_specialized(device, kernel, args); },
        [&](const status& why) { return device.refuse(why); });
}

} // namespace tegula
