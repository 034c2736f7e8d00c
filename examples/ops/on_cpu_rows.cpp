#if defined(__x86_64__)

#include "on_cpu.hpp"
#include "rows_kernels.hpp"

using namespace ops_example;

static const bool added =
    add_on_cpu<row_problem, row_kernels, tegula::arch::x86_avx2, float, tegula::half, tegula::bfloat16>();

#endif
