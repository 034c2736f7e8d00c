// not in the demo
#include "emulated_backward.hpp"

using namespace attention_example;

using target = tegula::arch::sm_90a;
using by_wgmma = tegula::warp_specialized_backward_for<target, tegula::bfloat16, 128, 128, changing_variant, float,
                                                       tegula::soft_cap<target>>;

static const bool added = add_emulated_backward<target, tegula::bfloat16, by_wgmma>("bf16");
