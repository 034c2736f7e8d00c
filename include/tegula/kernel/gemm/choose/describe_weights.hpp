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
/// Instructions for each weight are rounded from the main loops of machine code (sm_90a and gfx942), all of a loop's: 3 to
/// 4 for tiles that keep weights packed (test/device/gemm_packed_weights.cpp), 10 for the others.
template <class Tile, class Form>
constexpr tile_description describe_weights(tile_description t)
{
    using packet = typename Form::packet;
    t.weight_bytes = static_cast<double>(sizeof(packet)) / Form::packing;
    t.weight_instructions = 10;
    if constexpr (requires { Tile::packs_weights; }) {
        using enum operand_order;
        using tile = quantized_weights_tile<Tile, Form>;
        t.packs_weights = true;
        t.weight_instructions = 3.5;
        t.shared_bytes = max(tile::template shared_bytes<k_contiguous, k_contiguous>(),
                             tile::template shared_bytes<k_contiguous, row_contiguous>());
    }
    return t;
}

} // namespace tegula
