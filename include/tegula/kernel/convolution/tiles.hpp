#pragma once

#include <tegula/kernel/convolution/persistent.hpp>
#include <tegula/kernel/convolution/product.hpp>
#include <tegula/kernel/gemm/prologue/tiles.hpp>

namespace tegula {

/// The kernels of a target's tiles for convolutions in a direction, of which each launch takes the one with the least
/// estimate. On sm_90a those of 16 bits multiply by wgmma if the convolution_kernels of such a tile take the convolution,
/// whose channels lie in whole vectors of 16 bytes then; else by mma.sync. On gfx950 pixels of 16 bits may come straight into
/// the shared memory of larger tiles, but not for the gradient of the input. Use it like convolution_kernels.
template <convolution_direction Direction, int Dims, class Target, class Element, class C, class Epilogue>
struct convolution_family : convolution_picker<convolution_family<Direction, Dims, Target, Element, C, Epilogue>,
                                               convolution_arguments<Direction, Dims, Element, C, Epilogue>>
{
    using tiles = prologue_tiles<Target, Element>;
    using choice = prologue_choice<Target, Element>;
    using arguments = convolution_arguments<Direction, Dims, Element, C, Epilogue>;
    using list = std::conditional_t<Direction == convolution_direction::backward_weight, typename choice::with_taps,
                                    std::conditional_t<Direction == convolution_direction::forward,
                                                       typename choice::with_rows, typename choice::with_filters>>;
    template <class Tile>
    using kernels = convolution_kernels<Direction, Dims, Tile, C, Epilogue>;

    /// Bytes of workspace with which all multiprocessors have work; 0 if they have it without. Precondition: can_implement.
    static long_index_t workspace_bytes(const arguments& args)
    {
        return choose(args, true,
                      [&](auto tile) { return kernels<typename decltype(tile)::type>::workspace_bytes(args); });
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        bool has_workspace = false;
        if constexpr (Direction == convolution_direction::backward_weight)
            has_workspace = args.workspace.data != nullptr;
        return choose(args, has_workspace,
                      [&](auto tile) { return kernels<typename decltype(tile)::type>{}.launches(args, launch); });
    }

    /// Calls use(tile) with the tile that is taken, as a std::type_identity. has_workspace: gradients of filters may
    /// share the pixels among blocks. Precondition: can_implement.
    template <class Use>
    static auto choose(const arguments& args, bool has_workspace, const Use& use)
    {
        const auto takes = [&](auto tile) { return kernels<typename decltype(tile)::type>::can_take(args).ok(); };
        const bool may_share = has_workspace && Direction == convolution_direction::backward_weight;
        return choice::template choose<list>(convolution_product<Direction>::size(args.shape), may_share, takes, use);
    }
};

} // namespace tegula
