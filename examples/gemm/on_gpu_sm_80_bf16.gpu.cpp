// targets: sm_80
// not in the sample

#include "on_gpu.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_80;

static const bool added = add_gpu_kernels<target, bf16_inputs>();
