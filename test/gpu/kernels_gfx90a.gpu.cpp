/// A kernel that compiles soon; kernels.json has the others.

#include "test/gpu/on_gpu.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx90a;

static const bool added =
    add_tile<gemm_tiles<target, bfloat16>::t64x64, operand_order::k_contiguous, operand_order::row_contiguous>(
        "t64x64");
