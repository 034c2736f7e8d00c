#include "emulated.hpp"
#include "rows_kernels.hpp"

using namespace ops_example;

static const bool added = add_emulated<row_problem, row_kernels, tegula::arch::gfx950>();
