// not in the demo
#include "emulated_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_90a;

static const bool added[] = {
    add_emulated_warp_specialized<target, bf16_inputs, rows_64_tile, rows_16_tile, pair_wide_tile, single_tile>()};
