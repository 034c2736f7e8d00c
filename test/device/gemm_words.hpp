#pragma once

/// Kernels that the device tests of GEMM share: those of one shipped tile, each a __global__ function named by its tile
/// and orders.

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/kernel/gemm/dispatch.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
using enum operand_order;

template <class Kernel>
TEGULA_INLINE void run(const typename Kernel::arguments& args)
{
    run_kernel<target>(Kernel{}, args);
}

// The name of the function tells expectations how the operands come.
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) along_k(typename Kernel::arguments args)
{
    run<Kernel>(args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) along_rows(typename Kernel::arguments args)
{
    run<Kernel>(args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) mixed(typename Kernel::arguments args)
{
    run<Kernel>(args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) element_wise(typename Kernel::arguments args)
{
    run<Kernel>(args);
}

template <class Tile, class C>
using test_epilogue = std::conditional_t<std::is_integral_v<C>, epilogue::none, epilogue::linear<C>>;

template <class Tile, class C, operand_order A, operand_order B>
using aligned_kernel = gemm_kernel<Tile, A, B, C, test_epilogue<Tile, C>, output_access::vectors>;
template <class Tile, class C>
using element_wise_kernel = gemm_kernel<Tile, any, any, C, test_epilogue<Tile, C>, output_access::elements>;

template <class Tile, class C>
const void* keep_along_k()
{
    return reinterpret_cast<const void*>(along_k<aligned_kernel<Tile, C, k_contiguous, k_contiguous>>);
}
template <class Tile, class C>
const void* keep_along_rows()
{
    return reinterpret_cast<const void*>(along_rows<aligned_kernel<Tile, C, row_contiguous, row_contiguous>>);
}
template <class Tile, class C>
const void* keep_mixed_orders()
{
    return reinterpret_cast<const void*>(mixed<aligned_kernel<Tile, C, k_contiguous, row_contiguous>>);
}
template <class Tile, class C>
const void* keep_element_wise()
{
    return reinterpret_cast<const void*>(element_wise<element_wise_kernel<Tile, C>>);
}

} // namespace tegula
