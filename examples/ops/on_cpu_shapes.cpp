#if defined(__x86_64__)

#include "on_cpu.hpp"
#include "shapes_kernels.hpp"

using namespace ops_example;

static const bool added = add_on_cpu<shape_problem, shape_kernels, tegula::arch::x86_avx2, float>();

#endif
