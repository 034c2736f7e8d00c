// targets: sm_100a
// not in the sample

#include "on_gpu_backward.hpp"

#include <tegula/attention_sm100.hpp>

using namespace attention_example;

using target = tegula::arch::sm_100a;
using plain = tegula::tcgen05_backward_for<target, tegula::bfloat16, 128, 128, plain_variant, float>;
using changing =
    tegula::tcgen05_backward_for<target, tegula::bfloat16, 128, 128, changing_variant, float, tegula::soft_cap<target>>;

static const bool added = add_gpu_backward<plain, changing>("bf16");
