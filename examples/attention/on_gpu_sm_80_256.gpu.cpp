// targets: sm_80
// not in the sample

#include "on_gpu.hpp"

using namespace attention_example;

static const bool added = add_gpu_kernels<tegula::arch::sm_80, tegula::bfloat16, 256>("bf16");
