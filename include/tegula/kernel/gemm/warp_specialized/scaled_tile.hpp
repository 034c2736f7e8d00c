#pragma once

#include <tegula/kernel/gemm/forms/block_scaled_arguments.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>

namespace tegula {

/// A warp_specialized_tile for block-scaled fp8. Sums of 128 of k, which share a scale, are scaled and added to a float
/// total outside of the tensor core. A is [m, k], B [k, n], both with contiguous k; see block_scaled_arguments.
template <class Target, class A, class B, index_t BlockM, index_t BlockN, index_t BlockK, int Consumers, int ClusterM,
          int Stages, bool Transposed = wgmma_rows::rows_of_c>
struct warp_specialized_scaled_tile
    : warp_specialized_tile<Target, A, B, float, BlockM, BlockN, BlockK, Consumers, consumer_mode::cooperative,
                            ClusterM, 1, Stages, Transposed, block_scale_length>
{
    static_assert(block_scale_length % BlockN == 0,
                  "tegula: block_n must divide the 128 columns of B that share a scale; use a narrower tile");
    static_assert(Transposed || BlockM == 64 * Consumers,
                  "tegula: a consumer has the scales of 64 rows; use more consumers or fewer rows");

    template <class Result, class Epilogue>
    using product_type = block_scaled_arguments<A, B, Result, Epilogue>;

    static constexpr bool scales_sums = true;
};

/// The warp-specialised tiles for block-scaled fp8, of one type or two. Sizes of k are in elements.
///
/// | name          | k   | consumers     | stages     | for
/// | ws128x128_2x1 | 128 | 2 cooperative | 6 (32 KB)  | large products
/// | ws128x128     | 128 | 2 cooperative | 6 (32 KB)  | the same with few tiles: no block waits for a peer
/// | ws16x128      | 256 | 1, transposed | 6 (36 KB)  | up to 16 rows: reads the weights once
/// | ws32x128      | 128 | 1, transposed | 10 (20 KB) | up to 32 rows
/// | ws64x128      | 128 | 1, transposed | 8 (24 KB)  | up to 64 rows
///
/// They take two sets of accumulators, for which larger tiles lack registers. Take block_scaled_tiles for operands that
/// wgmma or tensor copies do not take.
template <class Target, class A, class B = A>
struct warp_specialized_scaled_tiles
{
    static_assert(internal::is_a_target<Target>::ok);

private:
    template <index_t M, index_t K, int Stages>
    using few_rows = warp_specialized_scaled_tile<Target, A, B, M, 128, K, 1, 1, Stages, wgmma_rows::columns_of_c>;

public:
    using ws128x128_2x1 = warp_specialized_scaled_tile<Target, A, B, 128, 128, 128, 2, 2, 6>;
    using ws128x128 = warp_specialized_scaled_tile<Target, A, B, 128, 128, 128, 2, 1, 6>;
    using ws16x128 = few_rows<16, 256, 6>;
    using ws32x128 = few_rows<32, 128, 10>;
    using ws64x128 = few_rows<64, 128, 8>;
};

} // namespace tegula
