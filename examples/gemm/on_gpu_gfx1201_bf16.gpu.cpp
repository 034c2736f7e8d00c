// targets: gfx1201

#include "on_gpu.hpp"

using namespace gemm_example;

static const bool added = add_gpu_kernels<tegula::arch::gfx1201, bf16_inputs>();
