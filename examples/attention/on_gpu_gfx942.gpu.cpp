// targets: gfx942

#include "on_gpu.hpp"

using namespace attention_example;
using target = tegula::arch::gfx942;

static const bool added[] = {add_gpu_kernels<target, tegula::bfloat16>("bf16"),
                             add_gpu_kernels<target, tegula::half>("f16"),
                             add_gpu_decoding<target, tegula::bfloat16>("bf16")};
