#pragma once

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_tile.hpp>
#include <tegula/kernel/gemm/warp_specialized/maps.hpp>

namespace tegula {

/// The kernels of one tcgen05_scaled_tile: C goes by tensor copies if they can address it, else from registers.
template <class Tile, class C, class Epilogue>
struct tcgen05_scaled_kernels
    : persistent_picker<tcgen05_scaled_kernels<Tile, C, Epilogue>, typename Tile::template product_type<C, Epilogue>>
{
    static constexpr bool chooses_store = true; ///< by the arguments
    template <output_store Store>
    using kernel = tcgen05_gemm<Tile, operand_order::k_contiguous, operand_order::k_contiguous, C, Epilogue, Store>;
    using arguments = typename kernel<output_store::direct>::product_type;

    /// Calls launch(kernel{}) with the kernel that takes the product, or otherwise(why) if tensor copies cannot address
    /// its packed rows or scales.
    /// Precondition: can_implement(args) is ok and C has elements.
    template <class Launch, class Otherwise>
    static auto dispatch(const arguments& args, const Launch& launch, const Otherwise& otherwise)
    {
        gemm_maps maps;
        if (describe_maps<kernel<output_store::tensor_copies>>(normalize(args), maps).ok())
            return launch(kernel<output_store::tensor_copies>{});
        const status why = describe_maps<kernel<output_store::direct>>(normalize(args), maps);
        return why.ok() ? launch(kernel<output_store::direct>{}) : otherwise(why);
    }
};

} // namespace tegula
