// targets: sm_100a
// not in the sample

#include "on_gpu.hpp"

using namespace attention_example;

static const bool added = add_gpu_kernels<tegula::arch::sm_100a, tegula::bfloat16, 256>("bf16");
