// not in the demo
#include "emulated.hpp"

using namespace attention_example;

using target = tegula::arch::sm_90a;

static const bool added[] = {add_emulated_kernels<target, tegula::bfloat16>("bf16"),
                             add_emulated_warp_specialized<target, tegula::bfloat16, 64>("bf16"),
                             add_emulated_warp_specialized<target, tegula::bfloat16, 128>("bf16")};
