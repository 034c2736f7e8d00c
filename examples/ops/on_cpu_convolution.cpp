#if defined(__x86_64__)

#include "convolution_kernels.hpp"
#include "on_cpu.hpp"

#include <tegula/kernel/gemm/cpu/prologue.hpp>

using namespace ops_example;

static const bool added = add_on_cpu<convolution_problem, convolution_kernels, tegula::arch::x86_avx2, float>();

#endif
