// targets: gfx942

#include "on_gpu.hpp"

using namespace gemm_example;
using target = tegula::arch::gfx942;

static const bool added[] = {add_gpu_kernels<target, bf16_inputs>(), add_gpu_kernels<target, f16_inputs>(),
                             add_gpu_kernels<target, tf32_inputs>()};
