#include "convolution_kernels.hpp"
#include "emulated.hpp"

static const bool added = ops_example::add_emulated<ops_example::convolution_problem, ops_example::convolution_kernels,
                                                    tegula::arch::sm_89>();
