#pragma once

/// Kernels of shipped tiles, for the sources that write_shipped.py writes.

#include "test/device/gemm_words.hpp"

namespace tegula {

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) whole(typename Kernel::arguments args)
{
    run<Kernel>(args);
}

/// The kernel of gemm_kernels<Tile> for operands in these orders.
template <class Tile, operand_order A, operand_order B>
void keep(const void**& kept)
{
    using c_type = accumulator_of<typename Tile::a_type>;
    if constexpr (A == operand_order::any)
        *kept++ = reinterpret_cast<const void*>(whole<element_wise_kernel<typename Tile::element_wise_tile, c_type>>);
    else
        *kept++ = reinterpret_cast<const void*>(whole<aligned_kernel<Tile, c_type, A, B>>);
}

} // namespace tegula
