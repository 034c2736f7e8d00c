#pragma once

#include <tegula/host/cpu_gemm.hpp>
#include <tegula/host/launch_forms.hpp>
#include <tegula/host/microscaled_operand.hpp>
#include <tegula/host/prologue_memory.hpp>
#include <tegula/kernel/gemm/cpu/forms.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>

#include <vector>

/// The forms of GEMM besides the plain one on this machine. Target: arch::x86_avx2, arch::x86_avx512, or arch::host, the
/// better of them that the machine has.

namespace tegula {

/// Tells the emulator of the memory of operands with scales.
template <class Wide, class Form>
void add_operand(emulator::memory_ranges& memory, const dequantized_columns<Wide, Form>& b, long_index_t columns,
                 long_index_t k, long_index_t batch, const char* name)
{
    detail::add_matrix(memory, b.weights, ceil_div(k, Form::packing), columns, batch, name);
    if constexpr (Form::group != 0)
        detail::add_matrix(memory, b.scales, ceil_div(k, Form::group), columns, batch, "scales");
    if constexpr (Form::has_zero_points)
        detail::add_matrix(memory, b.zeros, ceil_div(k, Form::group), columns, batch, "zero points");
}
template <class T>
void add_operand(emulator::memory_ranges& memory, const block_scaled_elements<T>& x, long_index_t rows, long_index_t k,
                 long_index_t batch, const char* name)
{
    detail::add_matrix(memory, matrix_argument<const T>{x.data, x.row_stride, x.k_stride, x.batch_stride}, rows, k,
                       batch, name);
    detail::add_matrix(
        memory, matrix_argument<const float>{x.scales, x.scale_row_stride, x.scale_k_stride, x.scale_batch_stride},
        ceil_div(rows, x.rows), ceil_div(k, block_scale_length), batch, "scales");
}
template <class Format, class Order>
void add_operand(emulator::memory_ranges& memory, const microscaled_elements<Format, Order>& x, long_index_t rows,
                 long_index_t k, long_index_t batch, const char* name)
{
    if (rows == 0 || k == 0 || batch == 0)
        return;
    const long_index_t bytes = (rows - 1) * x.row_stride + mx_row_bytes<typename Format::element_type>(k);
    memory.read(x.data, static_cast<std::size_t>(bytes + (batch - 1) * x.batch_stride), name);
    memory.read(x.scales, static_cast<std::size_t>(Order::bytes(rows, k) + (batch - 1) * x.scale_batch_stride),
                "scales");
}

namespace detail {

/// f(target{}) with the target itself, or with the better one for arch::host.
template <class Target, class F>
status with_cpu_target(const F& f)
{
    if constexpr (!std::is_same_v<Target, arch::host>)
        return f(Target{});
    else
        return x86::host_features().contains(x86::feature::avx512) ? f(arch::x86_avx512{}) : f(arch::x86_avx2{});
}

/// Launches the kernel of Kernels<tile> for the arguments, of the tile that products of so many rows take.
template <class Target, class Element, template <class> class Kernels, class Arguments>
status launch_cpu_form(cpu_device& device, const Arguments& args)
{
    if (status s = can_implement(args); !s)
        return device.refuse(s);
    return with_cpu_target<Target>([&](auto target) {
        using tiles = prologue_tiles<decltype(target), Element>;
        const auto start = [&](auto kernel, const auto& product) { return launch_gemm(device, kernel, product); };
        if (tiles::prefers_large({args.m, args.n, args.k, args.batch}))
            return Kernels<typename tiles::large>::dispatch(args, start);
        return Kernels<typename tiles::small>::dispatch(args, start);
    });
}

/// Kernel templates of a tile alone.
template <class Form, class C, class Epilogue>
struct cpu_quantized_weights_of
{
    template <class Tile>
    using kernels = cpu_quantized_weights_kernels<Tile, Form, C, Epilogue>;
};
template <class A, class B, class C, class Epilogue>
struct cpu_scaled_of
{
    template <class Tile>
    using blocks = cpu_block_scaled_kernels<Tile, A, B, C, Epilogue>;
    template <class Tile>
    using microscaled = cpu_microscaled_kernels<Tile, A, B, C, Epilogue>;
    template <class Tile>
    using formats = cpu_scaled_format_kernels<Tile, A, B, C, Epilogue>;
};

} // namespace detail

/// C = epilogue(A W) with weights W in 8 or 4 bits and scales, converted to A's type, float, half or bfloat16, as they are
/// packed.
///
/// Errors: those of can_implement and check_epilogue; unsupported where the machine lacks the target's instructions.
template <class Target, class A, class Form, class C, class Epilogue>
status cpu_quantized_weights_gemm(cpu_device& device, const quantized_weights_arguments<A, Form, C, Epilogue>& args)
{
    return detail::launch_cpu_form<Target, A, detail::cpu_quantized_weights_of<Form, C, Epilogue>::template kernels>(
        device, args);
}

/// Multiplies operands in blocks of 128 with a scale each, of 8-bit types or wider; computed in float.
template <class Target, class A, class B, class C, class Epilogue>
status cpu_block_scaled_gemm(cpu_device& device, const block_scaled_arguments<A, B, C, Epilogue>& args)
{
    return detail::launch_cpu_form<Target, float, detail::cpu_scaled_of<A, B, C, Epilogue>::template blocks>(device,
                                                                                                             args);
}

/// Multiplies operands in Microscaling formats, packed as mx_quantize leaves them on GPUs and microscaled_operand here.
template <class Target, class A, class B, class C, class Epilogue>
status cpu_microscaled_gemm(cpu_device& device, const microscaled_arguments<A, B, C, Epilogue>& args)
{
    return detail::launch_cpu_form<Target, float, detail::cpu_scaled_of<A, B, C, Epilogue>::template microscaled>(
        device, args);
}

/// Multiplies operands whose scales lie in atoms, in NVFP4 or Microscaling formats, as block_quantize leaves them for
/// NVIDIA's GPUs and scaled_format_operand here. A's elements are multiplied by the tensors' scale and rounded to
/// float.
template <class Target, class FormatA, class FormatB, class C, class Epilogue>
status cpu_microscaled_gemm(cpu_device& device, const scaled_format_arguments<FormatA, FormatB, C, Epilogue>& args)
{
    return detail::launch_cpu_form<Target, float,
                                   detail::cpu_scaled_of<FormatA, FormatB, C, Epilogue>::template formats>(device,
                                                                                                           args);
}

/// Products of different sizes, operands in any order, in one loop over the blocks of all of them.
///
/// products  [count]; normalised, as number_blocks says
///
/// Errors: those of number_blocks, which name the product; unsupported where the machine lacks the target's
/// instructions. With an error nothing was written.
template <class Target, class Element, class C, class Epilogue>
status cpu_grouped_gemm(cpu_device& device, gemm_arguments<Element, Element, C, Epilogue>* products, index_t count)
{
    return detail::with_cpu_target<Target>([&](auto target) {
        using tile = typename prologue_tiles<decltype(target), Element>::small;
        using kernel = grouped_gemm<cpu_any_gemm<tile, C, Epilogue>>;
        std::vector<index_t> first_block(static_cast<std::size_t>(count) + 1);
        if (status s = kernel::number_blocks(products, count, first_block.data()); !s)
            return device.refuse(s);
        return launch_grouped(device, kernel{}, {products, first_block.data(), count, first_block.back()});
    });
}

/// C = epilogue(A B) with k shared by `splits` blocks for each tile, for products of few tiles and long k on many threads.
/// The workspace is allocated.
///
/// Errors: those of split_k_gemm::check; out_of_memory; unsupported where the machine lacks the target's instructions.
template <class Target, class Element, class C, class Epilogue>
status cpu_split_k_gemm(cpu_device& device, const gemm_arguments<Element, Element, C, Epilogue>& product,
                        index_t splits)
{
    return detail::with_cpu_target<Target>([&](auto target) {
        using tile = typename prologue_tiles<decltype(target), Element>::small;
        using kernel = split_k_gemm<cpu_any_gemm<tile, C, Epilogue>>;
        typename kernel::arguments args{product, splits, {}};
        if (status s = can_implement(product); !s)
            return device.refuse(s);
        const long_index_t bytes = splits < 1 ? 0 : kernel::workspace_bytes(args);
        host_memory workspace;
        if (bytes > 0) {
            if (status s = workspace.allocate(static_cast<std::size_t>(bytes)); !s)
                return device.refuse(s);
            args.workspace = {workspace.data(), bytes};
        }
        return launch_split_k(device, kernel{}, args);
    });
}

} // namespace tegula
