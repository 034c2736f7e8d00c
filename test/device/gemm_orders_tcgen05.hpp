#pragma once

/// Kernels of tiles of tensor memory, for the sources that write_shipped.py writes.

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>

#include "test/device/keep.hpp"

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

TEGULA_KEEP(whole)

template <class Tile, operand_order A, operand_order B>
void keep(const void**& kept)
{
    using c = typename Tile::accumulator_type;
    using epilogue_type = std::conditional_t<std::is_integral_v<c>, epilogue::none, epilogue::linear<c>>;
    *kept++ =
        reinterpret_cast<const void*>(whole<tcgen05_gemm<Tile, A, B, c, epilogue_type, output_store::tensor_copies>>);
}

} // namespace tegula
