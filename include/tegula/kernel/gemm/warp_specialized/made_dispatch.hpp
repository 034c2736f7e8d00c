#pragma once

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_tile.hpp>
#include <tegula/kernel/gemm/warp_specialized/maps.hpp>

namespace tegula {

namespace detail {

/// Calls launch(kernel{}) with a Family::kernel<Whole, B, Store> whose tensor maps can address the product's matrices,
/// or otherwise(why) if there is none. C goes by tensor copies if they can address it.
template <class Family, bool Whole, operand_order B, class Arguments, class Launch, class Otherwise>
auto dispatch_made(const Arguments& args, const Launch& launch, const Otherwise& otherwise)
{
    using direct = typename Family::template kernel<Whole, B, output_store::direct>;
    const Arguments normal = normalize(args);
    gemm_maps maps;
    if constexpr (!Family::scatters && !Family::writes_directly) {
        using copying = typename Family::template kernel<Whole, B, output_store::tensor_copies>;
        if (describe_maps<copying>(normal, maps).ok())
            return launch(copying{});
    }
    const status why = describe_maps<direct>(normal, maps);
    return why.ok() ? launch(direct{}) : otherwise(why);
}

/// Calls launch(constant<whole>{}), or otherwise(why) if kernels of the tile take no such operand.
template <class Tile, class Launch, class Otherwise>
auto dispatch_vectors(bool whole, const Launch& launch, const Otherwise& otherwise)
{
    if (whole)
        return launch(constant<1>{});
    if constexpr (Tile::makes_by_elements)
        return launch(constant<0>{});
    else
        return otherwise(status(status_code::unsupported,
                                "an operand that a warpgroup makes does not lie along k in vectors of 16 bytes of the "
                                "multiplied type; take a multistage kernel"));
}

} // namespace detail

/// The kernels of one tile, a warp_specialized_tile without a cluster or a tcgen05_tile, for weights of one form. A comes by tensor copies, with k contiguous. For an A that
/// these cannot address, and for a product without elements or k, take quantized_weights_kernels.
template <class Tile, class Form, class C, class Epilogue, work_partition Sharing = work_partition::tiles>
struct persistent_quantized_kernels
    : persistent_picker<persistent_quantized_kernels<Tile, Form, C, Epilogue, Sharing>,
                        quantized_weights_arguments<typename Tile::a_type, Form, C, Epilogue>>
{
    using arguments = quantized_weights_arguments<typename Tile::a_type, Form, C, Epilogue>;
    static constexpr bool scatters = false, writes_directly = Sharing == work_partition::experts;

    /// Whole: see persistent_quantized_tile.
    template <bool Whole, operand_order B, output_store Store>
    using kernel = typename Tile::template gemm<persistent_quantized_tile<Tile, Form, Whole>,
                                                operand_order::k_contiguous, B, C, Epilogue, Store, Sharing>;

    /// Calls launch(kernel{}) with the kernel that takes the product, or otherwise(why) if there is none.
    /// Precondition: can_implement(args) is ok.
    template <class Launch, class Otherwise>
    static auto dispatch(const arguments& args, const Launch& launch, const Otherwise& otherwise)
    {
        constexpr operand_order k = operand_order::k_contiguous;
        return detail::dispatch_vectors<Tile>(
            has_whole_vectors(args),
            [&](auto whole) {
                return detail::dispatch_made < persistent_quantized_kernels, whole != 0, k > (args, launch, otherwise);
            },
            otherwise);
    }

private:
    static bool has_whole_vectors(const arguments& args)
    {
        constexpr long_index_t bytes = 16 / static_cast<long_index_t>(sizeof(typename Tile::a_type)) / Form::packing;
        return (args.b.row_stride == 1 || args.packets_k() == 1) &&
               reinterpret_cast<std::uintptr_t>(args.b.data) % bytes == 0 && args.b.column_stride % bytes == 0 &&
               args.b.batch_stride % bytes == 0;
    }
};

/// The kernels of one such tile for operands of these kinds (forms/prologue.hpp), at least one of them not
/// strided_rows. Tensor copies load strided_rows; in A, k is contiguous. For operands that they cannot address, and for
/// a product without elements or k, take prologue_kernels.
///
///   OrderA  for a persistent_convolution, which picks one of the kernels itself
template <class Tile, class A, class B, class C, class Epilogue, c_rows_order Rows = c_rows_order::as_they_are,
          work_partition Sharing = work_partition::tiles, operand_order OrderA = operand_order::k_contiguous>
struct persistent_prologue_kernels
    : persistent_picker<persistent_prologue_kernels<Tile, A, B, C, Epilogue, Rows, Sharing, OrderA>,
                        prologue_arguments<A, B, C, Epilogue>>
{
    using arguments = prologue_arguments<A, B, C, Epilogue>;
    static constexpr bool scatters = Rows == c_rows_order::by_index;
    static constexpr bool writes_directly = Sharing == work_partition::experts; ///< whose rows end within tiles

    /// Whole: see persistent_prologue_tile.
    template <bool Whole, operand_order OrderB, output_store Store>
    using kernel = typename Tile::template gemm<persistent_prologue_tile<Tile, A, B, Whole, Rows>, OrderA, OrderB, C,
                                                Epilogue, Store, Sharing>;

    /// As persistent_quantized_kernels::dispatch; args.c_rows is null exactly when Rows is as_they_are.
    template <class Launch, class Otherwise>
    static auto dispatch(const arguments& args, const Launch& launch, const Otherwise& otherwise)
    {
        using enum operand_order;
        static_assert(OrderA == k_contiguous, "tegula: a convolution with another order of A picks its kernel itself");
        const auto with_order = [&](auto whole) {
            constexpr bool Whole = whole != 0;
            const auto along_rows = [&](const auto& b) { return args.k > 1 ? b.k_stride != 1 : b.row_stride == 1; };
            if constexpr (is_gated<B>)
                if (along_rows(args.b.gate) != along_rows(args.b.up))
                    return otherwise(status(status_code::unsupported,
                                            "the weights of a gated product lie in different orders; take a multistage "
                                            "kernel"));
            if constexpr (detail::is_copied<B> || is_gated<B>)
                if (along_rows(first_weight(args.b)))
                    return detail::dispatch_made<persistent_prologue_kernels, Whole, row_contiguous>(args, launch,
                                                                                                     otherwise);
            return detail::dispatch_made<persistent_prologue_kernels, Whole, k_contiguous>(args, launch, otherwise);
        };
        return detail::dispatch_vectors<Tile>(has_whole_vectors(args), with_order, otherwise);
    }

private:
    template <class X>
    static bool is_along_k(const X& x, long_index_t rows, const arguments& args)
    {
        return detail::is_copied<X> || is_gated<X> || x.order(rows, args.k, args.batch) == operand_order::k_contiguous;
    }
    static bool has_whole_vectors(const arguments& args)
    {
        return is_along_k(args.a, args.m, args) && is_along_k(args.b, args.n, args);
    }
};

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::dispatch_made;
using tegula::detail::is_copied;
} // namespace tegula::internal
