// targets: gfx90a
// not in the sample

#include "on_gpu_backward.hpp"

using namespace attention_example;

using target = tegula::arch::gfx90a;

static const bool added =
    add_gpu_backward<plain_backward<target, tegula::bfloat16>, changing_backward<target, tegula::bfloat16>>("bf16");
