#pragma once

/// What on_gpu_attention.hpp has, with kernels by tcgen05.

#include <tegula/attention.hpp>

#include "test/gpu/on_gpu_attention.hpp"
