#pragma once

#include <tegula/kernel/gemm/tcgen05/tile.hpp>
#include <tegula/mma/choose.hpp>

namespace tegula {

/// The tiles of tcgen05_gemm that are shipped for an input type: bf16, f16, tf32, fp8 (e4m3, e5m2) or, on sm_100a,
/// int8. They are named by rows and columns, then by the blocks of a cluster along M and N; k is 128 bytes. The stages
/// are for a result of 2 bytes per element and an epilogue without C0.
///
/// | name           | stages          | for
/// | tc256x256_2x1  | 6 (32 KB)       | large products: a pair of blocks loads each operand once
/// | tc128x256      | 4 (48 KB)       | products of few tiles: no block waits for a peer
/// | tc128x128      | 6 (32 KB)       | fewer still
/// | tc128x64       | 8 (24 KB)       | and few columns
template <class Target, class Element>
struct tcgen05_tiles
{
    static_assert(internal::is_a_target<Target>::ok);

    using accumulator = accumulator_of<Element>;

private:
    static constexpr index_t row = 128 / static_cast<index_t>(sizeof(Element));
    template <index_t M, index_t N, int Blocks = 1>
    using tile = tcgen05_tile<Target, Element, Element, accumulator, M, N, row, Blocks>;

public:
    using tc256x256_2x1 = tile<256, 256, 2>;
    using tc128x256 = tile<128, 256>;
    using tc128x128 = tile<128, 128>;
    using tc128x64 = tile<128, 64>;
};

} // namespace tegula
