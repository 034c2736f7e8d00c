// targets: sm_90a
// not in the sample

#include "on_gpu_backward.hpp"

using namespace attention_example;

static const bool added = add_gpu_backward<tegula::arch::sm_90a, tegula::bfloat16>("bf16");
