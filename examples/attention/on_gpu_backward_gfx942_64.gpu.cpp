// targets: gfx942
// not in the sample

#include "on_gpu_backward.hpp"

using namespace attention_example;

using target = tegula::arch::gfx942;

static const bool added = add_gpu_backward<plain_backward<target, tegula::bfloat16, 64>>("bf16");
