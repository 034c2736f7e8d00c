// targets: sm_80
// not in the sample

#include "on_gpu_backward.hpp"

using namespace attention_example;

using target = tegula::arch::sm_80;

static const bool added =
    add_gpu_backward<plain_backward<target, tegula::bfloat16, 256>, changing_backward<target, tegula::bfloat16, 256>>(
        "bf16");
