#pragma once

#include <tegula/kernel/gemm/choose/tile_description.hpp>
#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>

namespace tegula {

/// The description of a warp_specialized_tile. Its waves are the tile's instructions of 64 rows, each of which reads
/// its operands from shared memory. It counts shared memory for a C whose elements have the accumulators' size.
template <class Tile>
    requires requires { Tile::consumers; }
constexpr tile_description describe(const char* name)
{
    using accumulator = typename Tile::accumulator_type;
    using kernel = warp_specialized_gemm<Tile, operand_order::k_contiguous, operand_order::k_contiguous, accumulator,
                                         epilogue::none, output_store::tensor_copies>;
    constexpr int instructions = static_cast<int>(Tile::left_rows / 64);
    tile_description t;
    t.name = name;
    t.block_m = Tile::block_m;
    t.block_n = Tile::block_n;
    t.block_k = Tile::block_k;
    t.waves_m = Tile::transposed ? 1 : instructions;
    t.waves_n = Tile::transposed ? instructions : 1;
    t.stages = Tile::stages;
    t.threads = kernel::block_threads;
    t.shared_bytes = kernel::shared_bytes;
    t.accumulators = Tile::accumulators;
    t.lane_registers = Tile::registers.consumer;
    t.input_bytes = sizeof(typename Tile::a_type);
    t.output_bytes = sizeof(accumulator);
    t.cost = sizeof(typename Tile::a_type) == 4 ? 2 : 1; // tf32
    t.cluster_m = Tile::cluster_m;
    t.cluster_n = Tile::cluster_n;
    constexpr bool is_fp8 = sizeof(typename Tile::a_type) == 1 && number_traits<typename Tile::a_type>::is_float;
    t.most_k = is_fp8 && Tile::promote_k == 0 ? truncated_sum_k : 0;
    t.promote_k = Tile::promote_k;
    t.consumer_waves = Tile::iterations;
    t.hides_output = Tile::mode == consumer_mode::ping_pong;
    return t;
}

} // namespace tegula
