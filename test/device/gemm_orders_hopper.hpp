#pragma once

/// Kernels of warp-specialised tiles, for the sources that write_shipped.py writes.

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

#include "test/device/keep.hpp"

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

TEGULA_KEEP(whole)

/// C of the accumulators' type with alpha, beta and a bias, and C of 16 bits as it is: ptxas serialises by what comes behind the
/// loop, too.
template <class Tile, operand_order A, operand_order B>
void keep(const void**& kept)
{
    using input = typename Tile::a_type;
    using accumulator = typename Tile::accumulator_type;
    constexpr auto store = output_store::tensor_copies;
    if constexpr (std::is_integral_v<input>) {
        *kept++ =
            reinterpret_cast<const void*>(whole<warp_specialized_gemm<Tile, A, B, accumulator, epilogue::none, store>>);
    } else {
        using narrow = std::conditional_t<sizeof(input) == 2, input, bfloat16>;
        using wide = std::conditional_t<sizeof(input) == 1, bfloat16, accumulator>;
        *kept++ = reinterpret_cast<const void*>(
            whole<warp_specialized_gemm<Tile, A, B, wide, epilogue::linear<wide>, store>>);
        *kept++ =
            reinterpret_cast<const void*>(whole<warp_specialized_gemm<Tile, A, B, narrow, epilogue::none, store>>);
    }
}

} // namespace tegula
