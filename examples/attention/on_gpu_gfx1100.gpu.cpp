// targets: gfx1100

#include "on_gpu.hpp"

static const bool added = attention_example::add_gpu_kernels<tegula::arch::gfx1100, tegula::bfloat16>("bf16");
