// not in the demo
#include "emulated_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_90a;

static const bool added[] = {add_emulated_warp_specialized<target, f16_inputs, single_tile>(),
                             add_emulated_warp_specialized<target, tf32_inputs, rows_16_tile, pair_wide_tile>(),
                             add_emulated_warp_specialized<target, int8_inputs, rows_16_tile, pair_wide_tile>(),
                             add_emulated_warp_specialized<target, fp8_inputs, rows_16_tile, pair_wide_tile>()};
