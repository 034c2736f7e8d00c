#pragma once

/// Kernels of attention, for the sources that write_shipped.py writes: keep_NAME for each add_NAME of test/gpu.

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/attention.hpp>

#include "test/device/keep.hpp"
#include "test/gpu/attention_variants.hpp"

namespace tegula {

using namespace test;
using target = arch::TEGULA_TEST_TARGET;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads, blocks_together<Kernel>)
    whole(const TEGULA_GRID_CONSTANT typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

/// The kernel, and the one that sums up where keys are split.
template <class Kernel>
void keep_attention(const void**& kept)
{
    *kept++ = reinterpret_cast<const void*>(whole<Kernel>);
    if constexpr (requires { typename Kernel::combine; })
        *kept++ = reinterpret_cast<const void*>(whole<typename Kernel::combine>);
}
template <class Kernel>
void keep_attention_form(const void**& kept)
{
    keep_attention<Kernel>(kept);
}
template <class Kernel>
void keep_append(const void**& kept)
{
    keep_attention<Kernel>(kept);
}

/// The kernels of the backward pass.
template <class Kernels>
void keep_gradients(const void**& kept)
{
    keep_attention<typename Kernels::sums>(kept);
    keep_attention<typename Kernels::keys>(kept);
    if constexpr (requires { requires Kernels::split; })
        keep_attention<typename Kernels::values>(kept);
    keep_attention<typename Kernels::queries>(kept);
}
template <class Target, class T, index_t D, class Variant>
void keep_attention_gradients(const void**& kept)
{
    keep_gradients<attention_backward_for<Target, T, D, D, Variant>>(kept);
}
template <class Target, class T, index_t D, class Variant>
void keep_specialized_gradients(const void**& kept)
{
    keep_gradients<warp_specialized_backward_for<Target, T, D, D, Variant>>(kept);
}
template <class Target, class T, index_t D, class Variant>
void keep_tcgen05_gradients(const void**& kept)
{
    keep_gradients<tcgen05_backward_for<Target, T, D, D, Variant>>(kept);
}

} // namespace tegula
