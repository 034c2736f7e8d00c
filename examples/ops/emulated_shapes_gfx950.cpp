#include "emulated.hpp"
#include "shapes_kernels.hpp"

using namespace ops_example;

static const bool added = add_emulated<shape_problem, shape_kernels, tegula::arch::gfx950>();
