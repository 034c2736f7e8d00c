#pragma once

#include <tegula/kernel/gemm/prologue/tiles.hpp>
#include <tegula/kernel/moe/layer.hpp>

namespace tegula {

/// The kernels of a target's tiles for a layer, of which each launch takes the one with the least estimate. It counts as
/// many rows for every expert. On sm_90a those of 16 bits multiply by wgmma, gated experts too, where tensor copies can
/// address the weights: width and hidden columns are multiples of 8 then, and rows of
/// x start at multiples of 16 bytes. Elsewhere both products are by mma.sync or by AMD's instructions. On gfx950 rows
/// of 16 bits may come straight into the shared memory of larger tiles, if x has at most 2^31 bytes. Use it like moe_kernels.
///
///     status s = launch(device, moe_family<Target, Element>{}, args);
template <class Target, class Element, bool Gated = false, class Arguments = any_arguments>
struct moe_family;

template <class Target, class Element, bool Gated>
struct moe_family<Target, Element, Gated, any_arguments>
{
    template <class Arguments>
    using with_arguments = moe_family<Target, Element, Gated, Arguments>;
};

template <class Target, class Element, bool Gated, class Out>
struct moe_family<Target, Element, Gated, moe_arguments<Element, Out>>
    : moe_kernels<typename prologue_tiles<Target, Element>::small, Gated, moe_arguments<Element, Out>>
{
    using choice = prologue_choice<Target, Element>;
    using arguments = moe_arguments<Element, Out>;
    template <class Tile>
    using kernels = moe_kernels<Tile, Gated, arguments>;

    /// Errors: those of the steps.
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        return choose(args, [&](auto tile) { return kernels<typename decltype(tile)::type>{}.launches(args, launch); });
    }

    /// Calls use(tile) with the tile that is taken, as a std::type_identity. Precondition: check(args) is ok.
    template <class Use>
    static auto choose(const arguments& args, const Use& use)
    {
        const long_index_t rows = ceil_div(args.tokens * args.k, args.experts);
        const gemm_size rows_of_expert{rows, args.hidden * (Gated ? 2 : 1), args.width, args.experts};
        using list = std::conditional_t<Gated, typename choice::gated_experts, typename choice::experts>;
        return choice::template choose<list>(
            rows_of_expert, false,
            [&](auto tile) { return kernels<typename decltype(tile)::type>::can_take(args).ok(); }, use);
    }
};

} // namespace tegula
