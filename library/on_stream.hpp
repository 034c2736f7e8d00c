#pragma once

/// Launches on a GPU as the library keeps them. Compiled by nvcc, or by clang as HIP.

#include <tegula/host/gpu_launch.hpp>

#include "library/operations.hpp"

namespace gpu_library {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// start(device) in a stream.
template <class Start>
starter on_stream(Start start)
{
    return [start](void* stream) {
        tegula::gpu_device device;
        device.stream = static_cast<TEGULA_RUNTIME(Stream_t)>(stream);
        return start(device);
    };
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gpu_library
