/// A kernel that compiles soon; kernels.json has the others.

#include "test/gpu/on_gpu.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx950;

static const bool added =
    add_tile<gemm_tiles<target, bfloat16>::t256x256, operand_order::k_contiguous, operand_order::k_contiguous>(
        "t256x256");
