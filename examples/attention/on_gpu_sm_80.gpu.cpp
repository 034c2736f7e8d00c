// targets: sm_80

#include "on_gpu.hpp"

static const bool added = attention_example::add_gpu_kernels<tegula::arch::sm_80, tegula::bfloat16>("bf16");
