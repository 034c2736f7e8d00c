// not in the demo
#include "emulated_warp_specialized.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_100a;

static const bool added[] = {add_emulated_tcgen05<target, f16_inputs, tc128x128_tile>(),
                             add_emulated_tcgen05<target, tf32_inputs, tc128x128_tile>(),
                             add_emulated_tcgen05<target, int8_inputs, tc128x128_tile>(),
                             add_emulated_tcgen05<target, fp8_inputs, tc128x128_tile>()};
