#pragma once

#include <tegula/kernel/gemm/choose/choose_tile.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>

namespace tegula {

/// The description of a tile for a B of quantised weights, which are fewer bytes in memory and take instructions to convert:
///
///     describe_weights<Tile, Form>(describe<Tile>("name"))
///
///   Form  quantized<...>
///   t     what describe<Tile>() returned
///
/// Instructions for each weight are from the main loops of machine code, all of a loop's. Tiles of 16 and 32 rows that keep
/// weights packed have 3.3 and 3.8 on sm_90a. On gfx942 these have 4.3 and 4.8, those of 64 rows 5.7
/// (test/device/gemm_packed_weights.cpp). Others have 10 to 12; 10 is counted. A warpgroup that makes operands for wgmma has
/// 8 in the loop of vectors (test/device/gemm_hopper_made.cpp).
template <class Tile, class Form>
constexpr tile_description describe_weights(tile_description t)
{
    using packet = typename Form::packet;
    t.weight_bytes = static_cast<double>(sizeof(packet)) / Form::packing;
    t.b_instructions = t.loads_ahead() ? 8 : 10;
    if constexpr (requires { Tile::packs_weights; }) {
        using enum operand_order;
        using tile = quantized_weights_tile<Tile, Form>;
        t.packs_weights = true;
        t.b_instructions = (Tile::target::vendor == vendor::amd ? 3.8 : 2.8) + t.block_m / 32.;
        t.shared_bytes = max(tile::template shared_bytes<k_contiguous, k_contiguous>(),
                             tile::template shared_bytes<k_contiguous, row_contiguous>());
    }
    return t;
}

} // namespace tegula
