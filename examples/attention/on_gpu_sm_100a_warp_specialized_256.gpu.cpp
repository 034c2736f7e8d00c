// targets: sm_100a
// not in the sample

#include "on_gpu.hpp"
#include "tiles_sm_100a.hpp"

using namespace attention_example;

static const bool added = add_gpu_warp_specialized<tegula::arch::sm_100a, tegula::bfloat16, 256>("bf16");
