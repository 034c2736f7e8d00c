#pragma once

#include <tegula/host/launch_gemm.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/gemm/microscaled/gemm.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_arguments.hpp>
#include <tegula/kernel/quantization/mx_quantize.hpp>

/// Quantisation to Microscaling formats and products of such operands on a device; see launch_gemm.hpp.

namespace tegula {

/// Adds the matrices that such a product reads and writes.
template <class A, class B, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const microscaled_arguments<A, B, C, Epilogue>& args)
{
    const auto bytes = [](long_index_t rows, long_index_t stride, long_index_t row, long_index_t batches,
                          long_index_t batch_stride) {
        return rows == 0 || batches == 0
                   ? std::size_t{0}
                   : static_cast<std::size_t>((rows - 1) * stride + row + (batches - 1) * batch_stride);
    };
    if (args.k > 0) {
        const long_index_t a_row = mx_row_bytes<A>(args.k), b_row = mx_row_bytes<B>(args.k);
        const long_index_t a_scales = mx_scale_bytes(args.m, args.k), b_scales = mx_scale_bytes(args.n, args.k);
        memory.read(args.a.data, bytes(args.m, args.a.row_stride, a_row, args.batch, args.a.batch_stride), "A");
        memory.read(args.b.data, bytes(args.n, args.b.column_stride, b_row, args.batch, args.b.batch_stride), "B");
        memory.read(args.a_scales, bytes(1, 0, a_scales, args.batch, args.a_scales_stride), "scales of A");
        memory.read(args.b_scales, bytes(1, 0, b_scales, args.batch, args.b_scales_stride), "scales of B");
    }
    detail::add_matrix(memory, args.c, args.m, args.n, args.batch, "C");
}

/// Adds the matrices of a product with scales in atoms.
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

/// The parameters of the maps of a product whose operands come by tensor copies.
///
/// Errors: unsupported if tensor copies cannot address an operand.
template <class Kernel>
status describe_operand_maps(const typename Kernel::product_type& p, tensor_map_parameters& a, tensor_map_parameters& b)
{
    using tile = typename Kernel::tile;
    const long_index_t length = tile::copied_k(p.k);
    a = tile::a_copies::parameters(p.a.data, p.m, length, p.a.row_stride, p.batch, p.a.batch_stride);
    b = tile::b_copies::parameters(p.b.data, p.n, length, p.b.column_stride, p.batch, p.b.batch_stride);
    const tensor_map_parameters* const maps[] = {&a, &b};
    const long_index_t batch_strides[] = {p.a.batch_stride, p.b.batch_stride};
    for (int i = 0; i < 2; ++i) {
        const char* const name = i == 0 ? "A" : "B";
        if (p.batch > 1 && batch_strides[i] < 0)
            return status(status_code::unsupported, name)
                   << " has a batch stride of " << batch_strides[i] << "; tensor copies need 0 or more";
        if (status s = check_tensor_address(*maps[i]); !s)
            return status(status_code::unsupported, name) << ": " << s.message();
    }
    return {};
}

/// The arguments of such a kernel: the product, which is normal, and the maps that make_map(map, parameters) encodes.
///
/// Errors: those of describe_operand_maps and make_map.
template <class Kernel, class MakeMap>
status fill_arguments(typename Kernel::arguments& args, const typename Kernel::product_type& product,
                      const MakeMap& make_map)
{
    args = {};
    args.product = product;
    if (product.m == 0 || product.n == 0 || product.batch == 0 || product.k == 0)
        return {}; // nothing is copied
    tensor_map_parameters a, b;
    if (status s = describe_operand_maps<Kernel>(product, a, b); !s)
        return s;
    if (status s = make_map(args.a_map, a); !s)
        return s;
    return make_map(args.b_map, b);
}

/// launch_gemm of a kernel whose operands come by tensor copies.
///
/// Errors: those of can_implement, check_epilogue, fill_arguments and launch.
template <class Device, class Tile, class C, class Epilogue, output_access Access>
    requires microscaled_gemm<Tile, C, Epilogue, Access>::copies_tensors
status launch_gemm(Device&& device, microscaled_gemm<Tile, C, Epilogue, Access> kernel,
                   const typename microscaled_gemm<Tile, C, Epilogue, Access>::product_type& product)
{
    using gemm = microscaled_gemm<Tile, C, Epilogue, Access>;
    if (status s = check_arguments(product); !s)
        return device.refuse(s);
    typename gemm::arguments args;
    const status filled =
        fill_arguments<gemm>(args, normalize(product), [&](tensor_map& map, const tensor_map_parameters& parameters) {
            return make_tensor_map(device, map, parameters);
        });
    if (!filled)
        return device.refuse(filled);
    return device.with_memory([&](auto& memory) { add_product(memory, args.product); },
                              [&] { return launch(device, config_for<gemm>(args, "gemm"), kernel, args); });
}

/// Starts block_quantize. On a GPU it does not wait; on the emulator it is done.
///
/// Errors: those of can_implement and launch.
template <class Device, class Target, class Format, class X>
status launch_quantize(Device&& device, block_quantize<Target, Format, X> kernel,
                       const block_quantize_arguments<X>& args)
{
    using quantize = block_quantize<Target, Format, X>;
    using element = typename Format::element_type;
    if (status s = can_implement<element>(args); !s)
        return device.refuse(s);
    if (args.rows == 0 || args.k == 0)
        return {};
    return device.with_memory(
        [&](auto& memory) {
            detail::add_matrix(memory, matrix_argument<const X>{args.x, args.row_stride, args.k_stride, 0}, args.rows,
                               args.k, 1, "x");
            const long_index_t bytes = (args.rows - 1) * args.value_stride + mx_row_bytes<element>(args.k);
            memory.write(args.values, static_cast<std::size_t>(bytes), "values");
            memory.write(args.scales, static_cast<std::size_t>(quantize::layout::bytes(args.rows, args.k)), "scales");
        },
        [&] { return launch(device, config_for<quantize>(args, "block_quantize"), kernel, args); });
}

} // namespace tegula
