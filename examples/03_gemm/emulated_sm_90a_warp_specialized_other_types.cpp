#include "emulated_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_90a;

static const bool added[] = {add_emulated_warp_specialized<target, f16_inputs, single_tile>(),
                             add_emulated_warp_specialized<target, tf32_inputs, pair_wide_tile, rows_16_tile>(),
                             add_emulated_warp_specialized<target, int8_inputs, pair_wide_tile, rows_16_tile>(),
                             add_emulated_warp_specialized<target, fp8_inputs, pair_wide_tile, rows_16_tile>()};
