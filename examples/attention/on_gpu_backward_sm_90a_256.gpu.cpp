// targets: sm_90a
// not in the sample

#include "on_gpu_backward.hpp"

using namespace attention_example;

using kernels = backward_kernels<tegula::arch::sm_90a, tegula::bfloat16, 256>;
static const bool added = add_gpu_backward<tegula::arch::sm_90a, tegula::bfloat16, kernels>("bf16");
