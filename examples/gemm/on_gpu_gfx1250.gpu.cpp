// targets: gfx1250
// not in the sample

#include "on_gpu.hpp"

using namespace gemm_example;
using target = tegula::arch::gfx1250;

static const bool added = add_gpu_kernels<target, bf16_inputs>();
