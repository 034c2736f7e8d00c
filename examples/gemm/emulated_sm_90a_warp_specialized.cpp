// not in the demo
#include "emulated_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_90a;

static const bool added[] = {add_emulated_warp_specialized<target, bf16_inputs, ws64x128_tile, ws16x128_tile,
                                                           ws128x256_2x1_tile, ws128x128_tile>()};
