#pragma once

#include <tegula/kernel/gemm/warp_specialized/tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

/// The warp-specialised tiles that are shipped for an input type: bf16, f16, tf32, fp8 (e4m3, e5m2) or int8. They are
/// named by rows and columns, then by the blocks of a cluster along M and N. Sizes of k are in bytes. Stages are as
/// many as fit next to the staged result of 4 bytes per element. A smaller result leaves room for a fifth stage in
/// ws64x256_2x1, and for four staged chunks instead of two in the others.
///
/// | name                   | k bytes | consumers     | stages     | for
/// | ws128x256_2x1          | 128     | 2 cooperative | 4 (48 KB)  | large products: fewest bytes per product
/// | ws256x128_1x2          | 128     | 2 cooperative | 4 (48 KB)  | the same
/// | ws256x128_2x1          | 128     | 2 cooperative | 4 (48 KB)  | the same for up to 128 columns
/// | ws128x192_2x1          | 128     | 2 cooperative | 4 (40 KB)  | if 256 columns would fill the chip unevenly
/// | ws128x128_2x1          | 128     | 2 ping-pong   | 6 (32 KB)  | short k: one finishes, one multiplies
/// | ws64x256_2x1           | 128     | 2 ping-pong   | 4 (40 KB)  | the same with fewer rows
/// | ws128x128              | 128     | 2 ping-pong   | 6 (32 KB)  | few tiles: no block waits for a peer
/// | ws128x256              | 128     | 2 cooperative | 4 (48 KB)  | an A that is made, of made_tile.hpp
/// | ws256x128              | 128     | 2 cooperative | 4 (48 KB)  | a B that is made
/// | ws256x64               | 128     | 1, transposed | 4 (40 KB)  | an A that is made, up to 64 columns
/// | ws16x128               | 256     | 1, transposed | 6 (36 KB)  | up to 16 rows: reads the weights once
/// | ws32x128               | 128     | 1, transposed | 10 (20 KB) | up to 32 rows
/// | ws64x128               | 128     | 1, transposed | 8 (24 KB)  | up to 64 rows
/// | ws128x128_transposed   | 128     | 1, transposed | 6 (32 KB)  | up to 128 rows
/// | ws16x64                | 256     | 1, transposed | 10 (20 KB) | the same for fewer weights: twice the blocks
/// | ws32x64                | 256     | 1, transposed | 8 (24 KB)  |
/// | ws64x64                | 128     | 1, transposed | 12 (16 KB) |
/// | ws128x128_2x1_promoted | 128     | 2 cooperative | 6 (32 KB)  | only fp8: large products with k above 256
/// | ws128x128_promoted     | 128     | 2 cooperative | 6 (32 KB)  | only fp8: the same with few tiles
///
/// Promoted means that sums of 128 products of fp8 are added in f32; see truncated_sum_k. That takes a second set of
/// accumulators, for which larger tiles lack registers. The tiles of up to 64 rows have the registers and the time
/// for it: for fp8 they are promoted too.
///
/// The transposed ones have the weights as the instruction's 64 rows, so that the rows of C are its columns. It takes
/// as few as 8 columns. Their time is that of reading the weights. One consumer keeps up, and a second one's staged
/// result would take the place of stages. They use no clusters, whose blocks would only wait for each other.
template <class Target, class Element>
struct warp_specialized_tiles
{
    static_assert(internal::is_a_target<Target>::ok);

    using accumulator = accumulator_of<Element>;
    static constexpr bool has_promoted = std::is_same_v<Element, float8_e4m3> || std::is_same_v<Element, float8_e5m2>;

private:
    static constexpr index_t row = 128 / static_cast<index_t>(sizeof(Element));

    template <index_t M, index_t N, int ClusterM, consumer_mode Mode, int Stages, index_t PromoteK = 0,
              int ClusterN = 1>
    using two_consumers = warp_specialized_tile<Target, Element, Element, accumulator, M, N, row, 2, Mode, ClusterM,
                                                ClusterN, Stages, wgmma_rows::rows_of_c, PromoteK>;
    template <index_t M, index_t K, int Stages, index_t N = 128>
    using few_rows =
        warp_specialized_tile<Target, Element, Element, accumulator, M, N, K, 1, consumer_mode::cooperative, 1, 1,
                              Stages, wgmma_rows::columns_of_c, has_promoted && M <= 64 ? 128 : 0>;

public:
    using ws128x256_2x1 = two_consumers<128, 256, 2, consumer_mode::cooperative, 4>;
    // Each block loads half of the larger operand: 32 KB a step. Half of the smaller one would leave 40 KB.
    using ws256x128_1x2 = two_consumers<256, 128, 1, consumer_mode::cooperative, 4, 0, 2>;
    using ws256x128_2x1 = two_consumers<256, 128, 2, consumer_mode::cooperative, 4>;
    using ws128x192_2x1 = two_consumers<128, 192, 2, consumer_mode::cooperative, 4>;
    using ws128x128_2x1 = two_consumers<128, 128, 2, consumer_mode::ping_pong, 6>;
    using ws64x256_2x1 = two_consumers<64, 256, 2, consumer_mode::ping_pong, 4>;
    using ws128x128 = two_consumers<128, 128, 1, consumer_mode::ping_pong, 6>;
    using ws128x256 = two_consumers<128, 256, 1, consumer_mode::cooperative, 4>;
    using ws256x128 = two_consumers<256, 128, 1, consumer_mode::cooperative, 4>;
    using ws16x128 = few_rows<16, 2 * row, 6>;
    using ws32x128 = few_rows<32, row, 10>;
    using ws64x128 = few_rows<64, row, 8>;
    using ws128x128_transposed = few_rows<128, row, 6>;
    using ws16x64 = few_rows<16, 2 * row, 10, 64>;
    using ws32x64 = few_rows<32, 2 * row, 8, 64>;
    using ws64x64 = few_rows<64, row, 12, 64>;
    using ws256x64 = few_rows<256, row, 4, 64>;
    using ws128x128_2x1_promoted = two_consumers<128, 128, 2, consumer_mode::cooperative, 6, 128>;
    using ws128x128_promoted = two_consumers<128, 128, 1, consumer_mode::cooperative, 6, 128>;
};

} // namespace tegula
