// targets: gfx950

#include "on_gpu.hpp"

using namespace gemm_example;
using target = tegula::arch::gfx950;

static const bool added = add_gpu_kernels<target, bf16_inputs>();
