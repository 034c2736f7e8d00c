#if defined(__x86_64__)

#include "cpu.hpp"

using namespace gemm_example;

static const bool added = add_cpu_kernels<tegula::arch::x86_amx, tegula::bfloat16>("bf16") &&
                          add_cpu_kernels<tegula::arch::x86_avx512, tegula::bfloat16>("bf16") &&
                          add_cpu_kernels<tegula::arch::x86_avx2, tegula::bfloat16>("bf16");

#endif
