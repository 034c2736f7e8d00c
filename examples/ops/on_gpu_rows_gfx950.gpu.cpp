// targets: gfx950
// not in the sample

#include "on_gpu.hpp"
#include "rows_kernels.hpp"

using namespace ops_example;

static const bool added = add_on_gpu<row_problem, row_kernels, tegula::arch::gfx950, float>();
