#pragma once

#include <tegula/kernel/convolution/product.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

namespace tegula {

/// The tiles that convolutions use of gemm_tiles<Target, Element>:
///
/// | elements | target     | large    | small  | because
/// | 16 bits  | gfx11      | t64x64   | t64x64 | operands twice in registers and places of pixels beside: t128x128 spills
/// | 16 bits  | all others | t128x128 | t64x64 | as for products
/// | 32 bits  | all        | t64x64   | t64x64 | multiply-adds or tf32: twice the registers for operands on their way
template <class Target, class Element>
struct convolution_tiles
{
    static constexpr bool has_large = sizeof(Element) <= 2 && arch_of<Target>() != gpu_arch::gfx1100;
    using tiles = gemm_tiles<Target, Element>;
    using small = typename tiles::t64x64;
    using large = std::conditional_t<has_large, typename tiles::t128x128, small>;

    /// Whether the large tile is the one with the lower estimate for the product; see choose_tile.
    static constexpr bool prefers_large(const gemm_size& size)
    {
        constexpr tile_description both[] = {describe<large>("large"), describe<small>("small")};
        return choose_tile(size, Target::chip(), both).index == 0;
    }
};

/// The kernels for convolutions in a direction on a target, of two tiles; as convolution_kernels, for which it stands
/// where any size is to run well.
template <convolution_direction Direction, int Dims, class Target, class Element, class C, class Epilogue>
struct convolution_family
{
    using tiles = convolution_tiles<Target, Element>;
    using large = convolution_kernels<Direction, Dims, typename tiles::large, C, Epilogue>;
    using small = convolution_kernels<Direction, Dims, typename tiles::small, C, Epilogue>;
    using arguments = typename small::arguments;

    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        return tiles::prefers_large(convolution_product<Direction>::size(args.shape)) ? large::dispatch(args, launch)
                                                                                      : small::dispatch(args, launch);
    }
};

} // namespace tegula
