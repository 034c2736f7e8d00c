// not in the demo
#if defined(__x86_64__)

#include "cpu.hpp"

using namespace gemm_example;

static const bool added =
    add_cpu_kernels<tegula::arch::x86_avx512, float>("f32") && add_cpu_kernels<tegula::arch::x86_avx2, float>("f32");
static const bool added_tf32 =
    add_cpu_kernels<tegula::arch::x86_avx512, float>("tf32") && add_cpu_kernels<tegula::arch::x86_avx2, float>("tf32");

#endif
