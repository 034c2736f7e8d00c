// targets: sm_80
// not in the sample

#include "on_gpu.hpp"

using namespace gemm_example;

static const bool added = add_gpu_kernels<tegula::arch::sm_80, f16_inputs>();
