// not in the demo
#include "emulated.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_90a;

static const bool added[] = {add_emulated_kernels<target, int8_inputs>(), add_emulated_kernels<target, fp8_inputs>()};
