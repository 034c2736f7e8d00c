#pragma once

/// Kernels of tiles of block-scaled operands, for the sources that write_shipped.py writes.

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/gemm.hpp>

#include "test/device/keep.hpp"

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

TEGULA_KEEP(whole)

/// The kernels of a tile that write vectors and single elements.
template <class Tile>
void keep(const void**& kept)
{
    using parts = epilogue::linear<>;
    *kept++ = reinterpret_cast<const void*>(whole<microscaled_gemm<Tile, float, parts, output_access::vectors>>);
    *kept++ = reinterpret_cast<const void*>(whole<microscaled_gemm<Tile, float, parts, output_access::elements>>);
}

} // namespace tegula
