// targets: sm_100a

#include "on_gpu.hpp"
#include "tiles_sm_100a.hpp"

using namespace attention_example;
using target = tegula::arch::sm_100a;

static const bool added[] = {
    add_gpu_kernels<target, tegula::bfloat16>("bf16"), add_gpu_kernels<target, tegula::half>("f16"),
    add_gpu_warp_specialized<target, tegula::bfloat16>("bf16"), add_gpu_warp_specialized<target, tegula::half>("f16")};
