// not in the demo
#if defined(__x86_64__)

#include "cpu.hpp"

using namespace gemm_example;

static const bool added = add_cpu_kernels<tegula::arch::x86_avx512, tegula::float8_e4m3>("fp8_e4m3") &&
                          add_cpu_kernels<tegula::arch::x86_avx2, tegula::float8_e4m3>("fp8_e4m3");

#endif
