#pragma once

/// The functions of on_gpu_attention.hpp, with kernels by tcgen05.

#include <tegula/attention.hpp>

#include "test/gpu/on_gpu_attention.hpp"
