#pragma once

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>

namespace tegula {

/// The kernels of a warp_specialized_tile or a tcgen05_tile, one for each order of the operands that the matrix
/// instruction takes. Tile::both_orders says whether operands may be contiguous along m or n.
template <class Tile, class C, class Epilogue, work_partition Sharing, output_store Store>
struct kernels_by_order
{
    static constexpr bool chooses_store = false; ///< by the arguments

    template <operand_order A, operand_order B>
    using kernel = typename Tile::template gemm<Tile, A, B, C, Epilogue, Store, Sharing>;
    using arguments = typename kernel<operand_order::k_contiguous, operand_order::k_contiguous>::product_type;

    /// Ok if one of the kernels takes the product; else `unsupported`: the message names what tensor copies cannot
    /// address, and the multistage kernels (gemm_kernels). Precondition: can_implement(args) is ok.
    static status can_take(const arguments& args)
    {
        return dispatch(args, [](auto) { return status(); }, [](const status& why) { return why; });
    }

    /// Calls launch(kernel{}) with the kernel that takes the product, or otherwise(why) if there is none.
    /// Precondition: can_implement(args) is ok.
    template <class Launch, class Otherwise>
    static auto dispatch(const arguments& args, const Launch& launch, const Otherwise& otherwise)
    {
        using enum operand_order;
        // With a single k, the operand counts as contiguous along its rows if these are neighbours.
        const bool a_along_k = args.k > 1 ? args.a.column_stride == 1 : args.a.row_stride != 1;
        const bool b_along_k = args.k > 1 ? args.b.row_stride == 1 : args.b.column_stride != 1;
        if constexpr (Tile::both_orders) {
            if (a_along_k && !b_along_k)
                return dispatch_kernel<kernel<k_contiguous, row_contiguous>>(args, launch, otherwise);
            if (!a_along_k && b_along_k)
                return dispatch_kernel<kernel<row_contiguous, k_contiguous>>(args, launch, otherwise);
            if (!a_along_k && !b_along_k)
                return dispatch_kernel<kernel<row_contiguous, row_contiguous>>(args, launch, otherwise);
        }
        return dispatch_kernel<kernel<k_contiguous, k_contiguous>>(args, launch, otherwise);
    }

private:
    template <class Kernel, class Launch, class Otherwise>
    static auto dispatch_kernel(const arguments& args, const Launch& launch, const Otherwise& otherwise)
    {
        gemm_maps maps;
        const status why = describe_maps<Kernel>(normalize(args), maps);
        return why.ok() ? launch(Kernel{}) : otherwise(why);
    }
};

/// The warp-specialised kernels of one tile: one for each order of the operands that wgmma takes, which is only
/// contiguous k unless elements have 16 bits. `Store`: how they write C.
template <class Tile, class C, class Epilogue, output_store Store = output_store::tensor_copies>
struct warp_specialized_kernels : kernels_by_order<Tile, C, Epilogue, work_partition::tiles, Store>,
                                  persistent_picker<warp_specialized_kernels<Tile, C, Epilogue, Store>,
                                                    typename Tile::template product_type<C, Epilogue>>
{};

} // namespace tegula
