// not in the demo
#include "emulated.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_80;

static const bool added = add_emulated_kernels<target, tf32_inputs>();
