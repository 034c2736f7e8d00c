#pragma once

#include <tegula/kernel/gemm/choose/tile_description.hpp>
#include <tegula/kernel/gemm/tcgen05/kernel.hpp>

namespace tegula {

/// The description of a tcgen05_tile for one block, whose tensor core reads each operand from shared memory once. It
/// counts the shared memory of a kernel whose C has elements of the accumulators' size.
template <class Tile>
    requires requires { Tile::tensor_columns; }
constexpr tile_description describe(const char* name)
{
    using accumulator = typename Tile::accumulator_type;
    using kernel = tcgen05_gemm<Tile, operand_order::k_contiguous, operand_order::k_contiguous, accumulator,
                                epilogue::none, output_store::tensor_copies>;
    tile_description t;
    t.name = name;
    t.block_m = Tile::block_m;
    t.block_n = Tile::block_n;
    t.block_k = Tile::block_k;
    t.waves_m = 1;
    t.waves_n = 1;
    t.stages = kernel::stages;
    t.threads = kernel::block_threads;
    t.shared_bytes = kernel::shared_bytes;
    t.accumulators = 0; // they are in tensor memory
    t.lane_registers = 65536 / kernel::block_threads < 255 ? 65536 / kernel::block_threads : 255;
    t.input_bytes = sizeof(typename Tile::a_type);
    t.output_bytes = sizeof(accumulator);
    t.cost = sizeof(typename Tile::a_type) == 4 ? 2 : 1; // tf32
    t.cluster_m = Tile::cluster_blocks;
    t.cluster_n = 1;
    t.hides_output = Tile::accumulator_sets > 1;
    return t;
}

} // namespace tegula
