// targets: gfx1100
// not in the sample

#include "on_gpu.hpp"

using namespace gemm_example;

static const bool added = add_gpu_kernels<tegula::arch::gfx1100, bf16_inputs>();
