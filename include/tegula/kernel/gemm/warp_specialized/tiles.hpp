#pragma once

#include <tegula/kernel/gemm/warp_specialized/tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

/// The warp-specialised tiles that are shipped for an input type: bf16, f16, tf32, fp8 (e4m3, e5m2) or int8.
/// Sizes of k are in bytes. Stages are as many as fit beside the staged result of 4 bytes an element; one of fewer
/// leaves pair_low a fifth, and room for four staged chunks instead of two elsewhere.
///
/// | name        | rows x columns | k bytes | cluster | consumers       | stages    | for
/// | pair_wide   | 128 x 256      | 128     | 2 x 1   | 2 cooperative   | 4 (48 KB) | large products: fewest bytes a product
/// | pair_tall   | 256 x 128      | 128     | 1 x 2   | 2 cooperative   | 4 (48 KB) | the same
/// | pair_column | 256 x 128      | 128     | 2 x 1   | 2 cooperative   | 4 (48 KB) | the same of up to 128 columns
/// | pair_square | 128 x 128      | 128     | 2 x 1   | 2 ping-pong     | 6 (32 KB) | short k: one finishes, one multiplies
/// | pair_low    | 64 x 256       | 128     | 2 x 1   | 2 ping-pong     | 4 (40 KB) | the same with fewer rows
/// | single      | 128 x 128      | 128     | 1 x 1   | 2 ping-pong     | 6 (32 KB) | few tiles: no block waits for a peer
/// | rows_16     | 16 x 128       | 256     | 1 x 1   | 1, transposed   | 6 (36 KB) | up to 16 rows: reads the weights once
/// | rows_32     | 32 x 128       | 128     | 1 x 1   | 1, transposed   | 10 (20 KB)| up to 32 rows
/// | rows_64     | 64 x 128       | 128     | 1 x 1   | 1, transposed   | 8 (24 KB) | up to 64 rows
/// | rows_128    | 128 x 128      | 128     | 1 x 1   | 1, transposed   | 6 (32 KB) | up to 128 rows
/// | slim_16     | 16 x 64        | 256     | 1 x 1   | 1, transposed   | 10 (20 KB)| the same of fewer weights: twice the blocks
/// | slim_32     | 32 x 64        | 256     | 1 x 1   | 1, transposed   | 8 (24 KB) |
/// | slim_64     | 64 x 64        | 128     | 1 x 1   | 1, transposed   | 12 (16 KB)|
/// | promoted    | 128 x 128      | 128     | 2 x 1   | 2 cooperative   | 6 (32 KB) | fp8 alone: sums in f32 every 4 stages
///
/// rows_* and slim_* have the weights as the instruction's 64 rows, so that the rows of C are its columns, of which it
/// takes as few as 8. Their time is that of reading the weights: one consumer keeps up, and leaves its staged result's
/// place to more stages. Their rows are not swept in clusters, which would only wait for each other.
template <class Target, class Element>
struct warp_specialized_tiles
{
    using accumulator = accumulator_of<Element>;
    static constexpr bool has_promoted = std::is_same_v<Element, float8_e4m3> || std::is_same_v<Element, float8_e5m2>;

private:
    static constexpr index_t row = 128 / static_cast<index_t>(sizeof(Element));

    template <index_t M, index_t N, int ClusterM, consumer_mode Mode, int Stages, int PromoteSteps = 0,
              int ClusterN = 1>
    using two_consumers = warp_specialized_tile<Target, Element, Element, accumulator, M, N, row, 2, Mode, ClusterM,
                                                ClusterN, Stages, false, PromoteSteps>;
    template <index_t M, index_t K, int Stages, index_t N = 128>
    using few_rows = warp_specialized_tile<Target, Element, Element, accumulator, M, N, K, 1,
                                           consumer_mode::cooperative, 1, 1, Stages, true>;

public:
    using pair_wide = two_consumers<128, 256, 2, consumer_mode::cooperative, 4>;
    // Of the larger operand of a block each loads half: 32 KB a step, where the other way round it would be 40.
    using pair_tall = two_consumers<256, 128, 1, consumer_mode::cooperative, 4, 0, 2>;
    using pair_column = two_consumers<256, 128, 2, consumer_mode::cooperative, 4>;
    using pair_square = two_consumers<128, 128, 2, consumer_mode::ping_pong, 6>;
    using pair_low = two_consumers<64, 256, 2, consumer_mode::ping_pong, 4>;
    using single = two_consumers<128, 128, 1, consumer_mode::ping_pong, 6>;
    using rows_16 = few_rows<16, 2 * row, 6>;
    using rows_32 = few_rows<32, row, 10>;
    using rows_64 = few_rows<64, row, 8>;
    using rows_128 = few_rows<128, row, 6>;
    using slim_16 = few_rows<16, 2 * row, 10, 64>;
    using slim_32 = few_rows<32, 2 * row, 8, 64>;
    using slim_64 = few_rows<64, row, 12, 64>;
    using promoted = two_consumers<128, 128, 2, consumer_mode::cooperative, 6, 4>;
};

} // namespace tegula
