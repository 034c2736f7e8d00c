// targets: gfx90a
// not in the sample

#include "on_gpu.hpp"

using namespace gemm_example;

static const bool added = add_gpu_kernels<tegula::arch::gfx90a, bf16_inputs>();
