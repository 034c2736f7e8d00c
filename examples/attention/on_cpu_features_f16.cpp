// not in the demo
#if defined(__x86_64__)

#include "on_cpu.hpp"

using namespace attention_example;

static const bool added = add_cpu_features<tegula::arch::x86_avx512, tegula::half>("f16") &&
                          add_cpu_features<tegula::arch::x86_avx2, tegula::half>("f16") &&
                          add_cpu_features<tegula::arch::x86_avx512, float>("f32") &&
                          add_cpu_features<tegula::arch::x86_avx2, float>("f32");

#endif
