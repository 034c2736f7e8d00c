// targets: gfx90a
// not in the sample

#include "on_gpu.hpp"

static const bool added = attention_example::add_gpu_kernels<tegula::arch::gfx90a, tegula::bfloat16>("bf16");
