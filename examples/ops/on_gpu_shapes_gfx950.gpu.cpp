// targets: gfx950
// not in the sample

#include "on_gpu.hpp"
#include "shapes_kernels.hpp"

using namespace ops_example;

static const bool added = add_on_gpu<shape_problem, shape_kernels, tegula::arch::gfx950, float>();
