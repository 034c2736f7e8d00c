#pragma once

/// Kernels of tiles of block-scaled operands, for the sources that write_orders.py writes.

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define TEGULA_TEST_GRID_CONSTANT
#else
#define TEGULA_TEST_GRID_CONSTANT __grid_constant__
#endif

#include <tegula/gemm.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    whole(const TEGULA_TEST_GRID_CONSTANT typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

/// The kernels of a tile that write vectors and single elements.
template <class Tile>
void keep(const void**& kept)
{
    using parts = epilogue::linear<>;
    *kept++ = reinterpret_cast<const void*>(whole<microscaled_gemm<Tile, float, parts, output_access::vectors>>);
    *kept++ = reinterpret_cast<const void*>(whole<microscaled_gemm<Tile, float, parts, output_access::elements>>);
}

} // namespace tegula
