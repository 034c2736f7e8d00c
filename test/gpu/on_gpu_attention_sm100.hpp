#pragma once

/// Attention by tcgen05, as on_gpu_attention.hpp has the others.

#include <tegula/attention.hpp>

#include "test/gpu/on_gpu_attention.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// Gradients by tcgen05 behind the forward kernel by mma.sync.
template <class Target, class T, index_t D, class Variant>
bool add_tcgen05_gradients(const char* name)
{
    return add_gradients_behind<attention_kernel<attention_tile_for<Target, T, D, D, Variant>, T, Variant>,
                                tcgen05_backward_for<Target, T, D, D, Variant>>(name);
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
