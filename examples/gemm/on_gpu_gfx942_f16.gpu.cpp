// targets: gfx942

#include "on_gpu.hpp"

using namespace gemm_example;

static const bool added = add_gpu_kernels<tegula::arch::gfx942, f16_inputs>();
