#pragma once

#include <tegula/kernel/convolution/product.hpp>
#include <tegula/kernel/gemm/prologue/tiles.hpp>

namespace tegula {

/// The kernels of two tiles for convolutions in a direction on a target. Use it like convolution_kernels, and in their
/// place if every size should run well.
template <convolution_direction Direction, int Dims, class Target, class Element, class C, class Epilogue>
struct convolution_family : convolution_picker<convolution_family<Direction, Dims, Target, Element, C, Epilogue>,
                                               convolution_arguments<Direction, Dims, Element, C, Epilogue>>
{
    using tiles = prologue_tiles<Target, Element>;
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
