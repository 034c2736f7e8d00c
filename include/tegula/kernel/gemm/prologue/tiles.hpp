#pragma once

#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

namespace tegula {

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

    /// Whether the large tile is the one with the lower estimate for the product; see choose_tile.
    static constexpr bool prefers_large(const gemm_size& size)
    {
        constexpr tile_description both[] = {describe<large>("large"), describe<small>("small")};
        return choose_tile(size, Target::chip(), both).index == 0;
    }
};

} // namespace tegula
