// targets: sm_100a
// not in the sample

#include "on_gpu_backward.hpp"

#include <tegula/attention_sm100.hpp>

using namespace attention_example;

using plain = tegula::tcgen05_backward_for<tegula::arch::sm_100a, tegula::bfloat16, 64, 64, plain_variant, float>;

static const bool added = add_gpu_backward<plain>("bf16");
