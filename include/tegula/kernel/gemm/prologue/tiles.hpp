#pragma once

#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/choose/tile_list.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

/// The description of a tile one of whose operands is made: found by rows, pixels or indices, or computed.
///
///   a, b  instructions of a lane for each element of that operand
template <class Tile>
constexpr tile_description describe_made(double a, double b)
{
    tile_description t = describe<Tile>("made");
    t.a_instructions = a;
    t.b_instructions = b;
    return t;
}

/// The tiles of gemm_tiles<Target, Element> for products with a prologue, for convolutions and mixtures of experts:
///
/// | elements | target     | large    | small  | because
/// | 16 bits  | gfx11      | t64x64   | t64x64 | registers hold operands twice, and places of rows: t128x128 spills
/// | 16 bits  | all others | t128x128 | t64x64 | as for products
/// | 32 bits  | all        | t64x64   | t64x64 | multiply-adds or tf32: operands in flight take twice the registers
template <class Target, class Element>
struct prologue_tiles
{
    static constexpr bool has_large = sizeof(Element) <= 2 && arch_of<Target>() != gpu_arch::gfx1100;
    using tiles = gemm_tiles<Target, Element>;
    using small = typename tiles::t64x64;
    using large = std::conditional_t<has_large, typename tiles::t128x128, small>;
};

/// The tiles from which families of kernels for convolutions and mixtures of experts choose: those of prologue_tiles, and
/// for 16 bits those in the table, of warp_specialized_tiles on sm_90a, of gemm_tiles by direct loads on gfx950.
///
/// | list          | for                                    | sm_90a                         | gfx950
/// | with_rows     | an A that is made: images              | ws128x256, ws128x128, ws256x64 | t256x256, t256x128
/// | with_filters  | both are: gradients of images          | the same                       |
/// | with_taps     | a B that is made: gradients of filters | ws256x128, ws128x128, ws64x128 | t256x128
/// | experts       | gathered tokens                        | ws128x256, ws128x128           | t256x256, t256x128
/// | gated_experts | gathered tokens, two weights           | the same                       | t256x128
///
/// Registers of t256x256 do not hold the sums of two weights, nor those of one and the places of filters' taps.
template <class Target, class Element>
struct prologue_choice
{
    static constexpr bool has_wgmma = sizeof(Element) == 2 && arch_of<Target>() == gpu_arch::sm_90a;
    static constexpr bool loads_directly = sizeof(Element) == 2 && requires { Target::has_direct_load; };

private:
    using tiles = prologue_tiles<Target, Element>;
    using wide = warp_specialized_tiles<Target, Element>;
    using of_warps = std::conditional_t<tiles::has_large, tile_list<typename tiles::large, typename tiles::small>,
                                        tile_list<typename tiles::small>>;
    using t256x256 = typename tiles::tiles::t256x256;
    using t256x128 = typename tiles::tiles::t256x128;

public:
    using with_filters = typename of_warps::template and_if<has_wgmma, typename wide::ws128x256,
                                                            typename wide::ws128x128, typename wide::ws256x64>;
    using with_rows = typename with_filters::template and_if<loads_directly, t256x256, t256x128>;
    using with_taps =
        typename of_warps::template and_if<has_wgmma, typename wide::ws256x128, typename wide::ws128x128,
                                           typename wide::ws64x128>::template and_if<loads_directly, t256x128>;
    using gated_experts =
        typename of_warps::template and_if<has_wgmma, typename wide::ws128x256,
                                           typename wide::ws128x128>::template and_if<loads_directly, t256x128>;
    using experts = typename gated_experts::template and_if<loads_directly, t256x256>;

    /// Calls use(tile) with the tile of List that has the least estimate for the product, of those for which takes(tile)
    /// is true. may_share: blocks may share k. Tiles are given as std::type_identity. Precondition: one takes it.
    template <class List, class Takes, class Use>
    static auto choose(const gemm_size& size, bool may_share, const Takes& takes, const Use& use)
    {
        // From the loops of test/device/gemm_hopper_made.cpp: 3 to 5 for rows, 8 for pixels at different taps.
        constexpr bool taps = has_wgmma && std::is_same_v<List, with_taps>;
        constexpr double a = !has_wgmma || taps ? 0 : 5, b = taps ? 8 : 0;
        const auto described = [](auto tile) { return describe_made<typename decltype(tile)::type>(a, b); };
        const auto some = List::select(described, takes);
        const chip_info& on = Target::chip();
        int best = choose_tile(size, on, some.tiles, some.count).index;
        if (may_share)
            if (const split_choice shared = choose_split_tile(size, on, some.tiles, some.count,
                                                              estimate_tile(size, some.tiles[best], on).cycles))
                best = shared.index;
        return List::with(some.number[best], use);
    }
};

} // namespace tegula
