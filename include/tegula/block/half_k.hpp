#pragma once

#include <tegula/block/operand_load.hpp>

namespace tegula {

/// A gemm_tile with half of its k a stage, for operands along the rows, whose stages pass the registers of the lanes.
template <class Tile>
struct half_k : Tile
{
    static_assert(Tile::slices % 2 == 0,
                  "tegula: the schedule halves the tile's k for an operand along the rows, so that k must be an even "
                  "number of the instruction's; give both operands k_contiguous, or a tile of twice the k");
    static constexpr index_t block_k = Tile::block_k / 2;
    static constexpr index_t a_block_k = Tile::a_block_k / 2;
    static constexpr int slices = Tile::slices / 2;
    template <operand_order Order>
    using a_loader = typename Tile::template a_loader_of<block_k, Order>;
    template <operand_order Order>
    using b_loader = typename Tile::template b_loader_of<block_k, Order>;
};

} // namespace tegula
