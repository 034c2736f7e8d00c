// not in the demo
#include "emulated_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_90a;

static const bool added[] = {
    add_emulated_warp_specialized<target, f16_inputs, ws128x128_tile>(),
    add_emulated_warp_specialized<target, tf32_inputs, ws16x128_tile, ws128x256_2x1_tile>(),
    add_emulated_warp_specialized<target, int8_inputs, ws16x128_tile, ws128x256_2x1_tile>(),
    add_emulated_warp_specialized<target, fp8_inputs, ws16x128_tile, ws128x128_2x1_promoted_tile>()};
