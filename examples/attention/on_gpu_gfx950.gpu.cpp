// targets: gfx950
// not in the sample

#include "on_gpu.hpp"

using namespace attention_example;
using target = tegula::arch::gfx950;

static const bool added[] = {add_gpu_kernels<target, tegula::bfloat16>("bf16"),
                             add_gpu_decoding<target, tegula::bfloat16>("bf16")};
