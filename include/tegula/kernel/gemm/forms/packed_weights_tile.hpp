#pragma once

#include <tegula/kernel/gemm/tile.hpp>

namespace tegula {

/// A tile of few rows for quantised weights, which stay packed in shared memory (packet_loader). It is for
/// quantized_weights_gemm alone.
///
///   Base    the gemm_tile that finishes C: rows, columns and waves, all of which stand along the columns
///   K       length along k of a stage
///   Stages  stages of the ring
template <class Base, index_t K, int Stages>
struct packed_weights_tile : Base
{
    static_assert(Base::waves_m == 1, "tegula: each wave converts the weights that it reads; give one row of waves");
    static_assert(sizeof(typename Base::a_type) == 2, "tegula: packed weights are multiplied by 16-bit floats");

    static constexpr bool packs_weights = true;
    static constexpr index_t block_k = K;
    static constexpr index_t a_block_k = K;
    static constexpr int stages = Stages;
    static constexpr int slices = K / Base::mma::slice_k;
    static_assert(slices > 1,
                  "tegula: sums of packed weights are scaled slice by slice; give a tile of several slices of k");
    using element_wise_tile = packed_weights_tile;
};

} // namespace tegula
