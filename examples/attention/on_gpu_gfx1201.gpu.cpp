// targets: gfx1201
// not in the sample

#include "on_gpu.hpp"

static const bool added = attention_example::add_gpu_kernels<tegula::arch::gfx1201, tegula::bfloat16>("bf16");
