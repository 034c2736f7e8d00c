#include "emulated.hpp"

static const bool added = gemm_example::add_emulated_kernels<tegula::arch::gfx90a>();
