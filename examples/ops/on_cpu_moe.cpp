#if defined(__x86_64__)

#include "moe_kernels.hpp"
#include "on_cpu.hpp"

#include <tegula/kernel/gemm/cpu/prologue.hpp>

using namespace ops_example;

static const bool added = add_on_cpu<moe_problem, moe_layer_kernels, tegula::arch::x86_avx2, float>();

#endif
