#include "emulated.hpp"
#include "moe_kernels.hpp"

static const bool added =
    ops_example::add_emulated<ops_example::moe_problem, ops_example::moe_layer_kernels, tegula::arch::sm_90a>();
