// not in the demo
#if defined(__x86_64__)

#include "cpu.hpp"

using namespace gemm_example;

static const bool added = add_cpu_kernels<tegula::arch::x86_amx, std::int8_t>("int8") &&
                          add_cpu_kernels<tegula::arch::x86_avx512, std::int8_t>("int8") &&
                          add_cpu_kernels<tegula::arch::x86_avx2, std::int8_t>("int8");

#endif
