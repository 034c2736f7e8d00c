// targets: gfx942

#include "on_gpu.hpp"

using namespace attention_example;

static const bool added = add_gpu_kernels<tegula::arch::gfx942, tegula::bfloat16>("bf16");
