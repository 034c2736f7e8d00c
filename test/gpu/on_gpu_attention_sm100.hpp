#pragma once

/// Attention by tcgen05, as on_gpu_attention.hpp has the others.

#include <tegula/attention_sm100.hpp>

#include "test/gpu/on_gpu_attention.hpp"
