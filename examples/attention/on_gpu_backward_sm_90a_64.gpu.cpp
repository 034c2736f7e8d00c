// targets: sm_90a
// not in the sample

#include "on_gpu_backward.hpp"

using namespace attention_example;

using plain =
    tegula::warp_specialized_backward_for<tegula::arch::sm_90a, tegula::bfloat16, 64, 64, plain_variant, float>;

static const bool added = add_gpu_backward<plain>("bf16");
