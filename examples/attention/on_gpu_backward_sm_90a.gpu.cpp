// targets: sm_90a
// not in the sample

#include "on_gpu_backward.hpp"

using namespace attention_example;

using target = tegula::arch::sm_90a;
using plain = tegula::warp_specialized_backward_for<target, tegula::bfloat16, 128, 128, plain_variant, float>;
using changing = tegula::warp_specialized_backward_for<target, tegula::bfloat16, 128, 128, changing_variant, float,
                                                       tegula::soft_cap<target>>;

static const bool added = add_gpu_backward<plain, changing>("bf16");
