// targets: gfx950
// not in the sample

#include "convolution_kernels.hpp"
#include "on_gpu.hpp"

static const bool added = ops_example::add_on_gpu<ops_example::convolution_problem, ops_example::convolution_kernels,
                                                  tegula::arch::gfx950, tegula::bfloat16>();
