#pragma once

/// Every order of the operands of every tile that is shipped for a type.

#include "test/device/gemm_words.hpp"

namespace tegula {

/// The five kernels of gemm_kernels<Tile, C>.
template <class Tile, class C>
void keep_all_orders(const void**& kept)
{
    *kept++ = keep_along_k<Tile, C>();
    *kept++ = keep_mixed_orders<Tile, C>();
    *kept++ = reinterpret_cast<const void*>(mixed<aligned_kernel<Tile, C, row_contiguous, k_contiguous>>);
    *kept++ = keep_along_rows<Tile, C>();
    *kept++ = keep_element_wise<typename Tile::element_wise_tile, C>();
}

/// Those of all tiles of gemm_tiles<Target, T>, if Target multiplies T.
template <class Target, class T, class Tiles = gemm_tiles<Target, T>>
void keep_all_tiles(const void**& kept)
{
    using c_type = accumulator_of<T>;
    if constexpr (Tiles::has_t256x256)
        keep_all_orders<typename Tiles::t256x256, c_type>(kept);
    if constexpr (Tiles::has_t256x128)
        keep_all_orders<typename Tiles::t256x128, c_type>(kept);
    if constexpr (Tiles::has_t128x128_interleaved)
        keep_all_orders<typename Tiles::t128x128_interleaved, c_type>(kept);
    if constexpr (Tiles::has_t128x256)
        keep_all_orders<typename Tiles::t128x256, c_type>(kept);
    keep_all_orders<typename Tiles::t128x128, c_type>(kept);
    keep_all_orders<typename Tiles::t64x64, c_type>(kept);
    keep_all_orders<typename Tiles::t32x128, c_type>(kept);
}

} // namespace tegula
