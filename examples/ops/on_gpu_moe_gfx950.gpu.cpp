// targets: gfx950
// not in the sample

#include "moe_kernels.hpp"
#include "on_gpu.hpp"

static const bool added = ops_example::add_on_gpu<ops_example::moe_problem, ops_example::moe_layer_kernels,
                                                  tegula::arch::gfx950, tegula::bfloat16>();
