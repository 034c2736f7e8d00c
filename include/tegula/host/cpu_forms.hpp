#pragma once

#include <tegula/host/cpu_gemm.hpp>
#include <tegula/host/microscaled_operand.hpp>
#include <tegula/kernel/gemm/cpu/forms.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>

#include <vector>

/// cpu_gemm of the further forms. Target: arch::x86_avx2, arch::x86_avx512, or arch::host for the better of them that
/// the machine has.

namespace tegula {

namespace detail {

/// Calls f(target{}) with the target itself, or with the better one for arch::host.
template <class Target, class F>
status with_cpu_target(const F& f)
{
    if constexpr (!std::is_same_v<Target, arch::host>)
        return f(Target{});
    else
        return x86::host_features().contains(x86::feature::avx512) ? f(arch::x86_avx512{}) : f(arch::x86_avx2{});
}

/// The protocol of a form: runs Kernels<tile> with the large or the small tile for Element, by the product's size.
template <class Target, class Element, template <class> class Kernels, class Arguments>
struct cpu_form : product_protocol<Arguments>
{
    using arguments = Arguments;

    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return with_cpu_target<Target>([&](auto target) {
            using tiles = prologue_tiles<decltype(target), Element>;
            const auto start = [&](auto kernel, const auto& product) {
                const status s = kernel.check(product);
                return s ? launch.run(kernel, kernel.normalize(product)) : s;
            };
            if (tiles::prefers_large({args.m, args.n, args.k, args.batch}))
                return Kernels<typename tiles::large>::dispatch(args, start);
            return Kernels<typename tiles::small>::dispatch(args, start);
        });
    }
};

/// Kernel templates whose only parameter is a tile.
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

/// C = epilogue(A W) with weights W in 8 or 4 bits and scales. Packing converts them to A's type: float, half or
/// bfloat16.
template <class Target, class A, class Form, class C, class Epilogue>
struct cpu_gemm<Target, quantized_weights_arguments<A, Form, C, Epilogue>>
    : detail::cpu_form<Target, A, detail::cpu_quantized_weights_of<Form, C, Epilogue>::template kernels,
                       quantized_weights_arguments<A, Form, C, Epilogue>>
{};

/// Multiplies operands of 8-bit types or wider with a scale for each block of 128; computed in float.
template <class Target, class A, class B, class C, class Epilogue>
struct cpu_gemm<Target, block_scaled_arguments<A, B, C, Epilogue>>
    : detail::cpu_form<Target, float, detail::cpu_scaled_of<A, B, C, Epilogue>::template blocks,
                       block_scaled_arguments<A, B, C, Epilogue>>
{};

/// Multiplies operands in Microscaling formats, packed as mx_quantize leaves them on GPUs and microscaled_operand here.
template <class Target, class A, class B, class C, class Epilogue>
struct cpu_gemm<Target, microscaled_arguments<A, B, C, Epilogue>>
    : detail::cpu_form<Target, float, detail::cpu_scaled_of<A, B, C, Epilogue>::template microscaled,
                       microscaled_arguments<A, B, C, Epilogue>>
{};

/// Multiplies operands whose scales lie in atoms, in NVFP4 or Microscaling formats, as block_quantize leaves them for
/// NVIDIA's GPUs and scaled_format_operand here. A's elements are multiplied by the tensors' scale and rounded to
/// float.
template <class Target, class FormatA, class FormatB, class C, class Epilogue>
struct cpu_gemm<Target, scaled_format_arguments<FormatA, FormatB, C, Epilogue>>
    : detail::cpu_form<Target, float, detail::cpu_scaled_of<FormatA, FormatB, C, Epilogue>::template formats,
                       scaled_format_arguments<FormatA, FormatB, C, Epilogue>>
{};

/// Products of different sizes, operands in any order, in one loop over the blocks of all of them.
///
///   Product  gemm_arguments
template <class Target, class Product>
struct cpu_grouped_gemm;

template <class Target, class Element, class C, class Epilogue>
struct cpu_grouped_gemm<Target, gemm_arguments<Element, Element, C, Epilogue>>
{
    using product = gemm_arguments<Element, Element, C, Epilogue>;
    struct arguments
    {
        const product* products = nullptr; ///< [count]
        index_t count = 0;
    };

    /// Errors, which name the product: those of can_implement and check_epilogue.
    static status check(const arguments& args)
    {
        for (index_t i = 0; i < args.count; ++i)
            if (const status s = check_arguments(args.products[i]); !s)
                return status(s.code(), "product ") << i << ": " << s.message();
        return {};
    }
    static arguments normalize(const arguments& args) { return args; }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        for (index_t i = 0; i < args.count; ++i)
            add_product(args.products[i], memory);
    }
    /// Errors: those of number_blocks; unsupported if the machine lacks the target's instructions.
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return detail::with_cpu_target<Target>([&](auto target) {
            using tile = typename prologue_tiles<decltype(target), Element>::small;
            using kernel = grouped_gemm<cpu_any_gemm<tile, C, Epilogue>>;
            std::vector<product> products(args.products, args.products + args.count);
            std::vector<index_t> first_block(products.size() + 1);
            const status s = kernel::number_blocks(products.data(), args.count, first_block.data());
            return s ? launch.run(kernel{}, {products.data(), first_block.data(), args.count, first_block.back()}) : s;
        });
    }
};

/// C = epilogue(A B) with several blocks for each tile, which share k. For products of few tiles and long k on many
/// threads. The workspace is allocated.
///
///   Product  gemm_arguments
template <class Target, class Product>
struct cpu_split_k_gemm;

template <class Target, class Element, class C, class Epilogue>
struct cpu_split_k_gemm<Target, gemm_arguments<Element, Element, C, Epilogue>>
{
    struct arguments
    {
        gemm_arguments<Element, Element, C, Epilogue> product;
        index_t splits = 1;
    };

    /// Errors: those of can_implement and check_epilogue.
    static status check(const arguments& args) { return check_arguments(args.product); }
    static arguments normalize(arguments args)
    {
        args.product = tegula::normalize(args.product);
        return args;
    }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_product(args.product, memory);
    }
    /// Errors: those of split_k_gemm::check; out_of_memory; unsupported if the machine lacks the target's
    /// instructions.
    template <class Launcher>
    status launches(const arguments& given, Launcher& launch) const
    {
        return detail::with_cpu_target<Target>([&](auto target) {
            using tile = typename prologue_tiles<decltype(target), Element>::small;
            using kernel = split_k_gemm<cpu_any_gemm<tile, C, Epilogue>>;
            typename kernel::arguments args{given.product, given.splits, {}};
            const long_index_t bytes = args.splits < 1 ? 0 : kernel::workspace_bytes(args);
            host_memory workspace;
            if (bytes > 0) {
                if (status s = workspace.allocate(static_cast<std::size_t>(bytes)); !s)
                    return s;
                args.workspace = {workspace.data(), bytes};
            }
            const status s = kernel::check(args);
            return s ? launch.run(kernel{}, args) : s;
        });
    }
};

} // namespace tegula
