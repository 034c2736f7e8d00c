// targets: sm_90a

#include "on_gpu.hpp"

using namespace attention_example;
using target = tegula::arch::sm_90a;

static const bool added[] = {
    add_gpu_kernels<target, tegula::bfloat16>("bf16"), add_gpu_kernels<target, tegula::half>("f16"),
    add_gpu_warp_specialized<target, tegula::bfloat16>("bf16"), add_gpu_warp_specialized<target, tegula::half>("f16"),
    add_gpu_decoding<target, tegula::bfloat16>("bf16")};
