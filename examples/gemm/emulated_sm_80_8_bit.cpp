// not in the demo
#include "emulated.hpp"

using namespace gemm_example;
using target = tegula::arch::sm_80;

static_assert(!fp8_inputs<target>::exists);
static const bool added = add_emulated_kernels<target, int8_inputs>();
