#pragma once

#include <tegula/kernel/convolution/product.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

/// Forward convolutions by a warp_specialized_tile without a cluster, or a tcgen05_tile. A warpgroup reads the pixels
/// under the filters, tensor copies read the filters.
///
/// Errors of a launch, in addition to those of can_implement: unsupported if channels of pixels or filters do not lie in
/// whole vectors of 16 bytes, or if there is no channel; take the convolution_kernels of another tile then.
template <int Dims, class Tile, class C, class Epilogue>
    requires requires { Tile::making_threads; }
struct convolution_kernels<convolution_direction::forward, Dims, Tile, C, Epilogue>
    : convolution_picker<
          convolution_kernels<convolution_direction::forward, Dims, Tile, C, Epilogue>,
          convolution_arguments<convolution_direction::forward, Dims, typename Tile::a_type, C, Epilogue>>
{
    using form = convolution_product<convolution_direction::forward>;
    using arguments = convolution_arguments<convolution_direction::forward, Dims, typename Tile::a_type, C, Epilogue>;
    using product = decltype(form::make(std::declval<const arguments&>()));
    using products =
        persistent_prologue_kernels<Tile, typename product::a_operand, typename product::b_operand, C, Epilogue>;

    /// Bytes of workspace: none.
    static long_index_t workspace_bytes(const arguments&) { return 0; }

    template <class Launch>
    static status dispatch(const arguments& args, Launch&& launch)
    {
        const product p = tegula::normalize(form::make(args));
        if (p.m == 0 || p.n == 0 || p.batch == 0)
            return {};
        constexpr auto k = operand_order::k_contiguous;
        if (p.a.order(p.m, p.k, p.batch) != k)
            return {status_code::unsupported,
                    "the channels of x are not whole vectors of 16 bytes, or pixels do not start "
                    "at multiples of these; take the convolution_kernels of a gemm_tile"};
        return internal::dispatch_made<products, true, k>(
            p, [&](auto kernel) { return launch(kernel, arguments_for(kernel, p)); },
            [](const status& why) { return why; });
    }
};

} // namespace tegula
