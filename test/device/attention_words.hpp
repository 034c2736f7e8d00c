#pragma once

/// Names and kernels that the device tests of attention share.

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/core/float8.hpp>
#include <tegula/kernel/attention/attention_kernel.hpp>
#include <tegula/kernel/attention/tiles.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

/// The 8 bits that the target multiplies.
constexpr bool is_fnuz = std::is_same_v<target, arch::gfx942>;
using e4m3 = std::conditional_t<is_fnuz, float8_e4m3_fnuz, float8_e4m3>;
using e5m2 = std::conditional_t<is_fnuz, float8_e5m2_fnuz, float8_e5m2>;

// The name of the function tells expectations which kernel it is.
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads, blocks_together<Kernel>)
    plain(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads, blocks_together<Kernel>)
    banded(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

/// Kernels of attention with split keys: the shares, and their sum.
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads, blocks_together<Kernel>)
    shares(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads) sum(typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template <class T, index_t D>
const void* keep_plain()
{
    return reinterpret_cast<const void*>(plain<attention_kernel<attention_tile_for<target, T, D>>>);
}
template <class T, index_t D>
const void* keep_banded()
{
    using variant = attention_variant<attention_mask::band>;
    return reinterpret_cast<const void*>(banded<attention_kernel<attention_tile_for<target, T, D>, T, variant>>);
}

} // namespace tegula
