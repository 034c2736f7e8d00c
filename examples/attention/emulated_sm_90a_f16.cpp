// not in the demo
#include "emulated.hpp"

using namespace attention_example;

using target = tegula::arch::sm_90a;

static const bool added[] = {add_emulated_kernels<target, tegula::half>("f16"),
                             add_emulated_warp_specialized<target, tegula::half, 64>("f16"),
                             add_emulated_warp_specialized<target, tegula::half, 128>("f16")};
