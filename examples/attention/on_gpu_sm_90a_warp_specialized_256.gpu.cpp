// targets: sm_90a
// not in the sample

#include "on_gpu.hpp"

using namespace attention_example;

static const bool added = add_gpu_warp_specialized<tegula::arch::sm_90a, tegula::bfloat16, 256>("bf16");
