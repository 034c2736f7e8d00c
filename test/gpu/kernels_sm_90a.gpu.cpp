/// A few kernels that compile soon; kernels.json has the others.

#include "test/gpu/on_gpu.hpp"

using namespace tegula;
using namespace tegula::test;
using tiles = warp_specialized_tiles<arch::sm_90a, bfloat16>;
// Not the whole enumeration: the CUDA headers have a function `any`.
using operand_order::k_contiguous;
using operand_order::row_contiguous;

static const bool added[] = {
    add_warp_specialized<tiles::ws128x256_2x1, k_contiguous, row_contiguous>("ws128x256_2x1"),
    add_warp_specialized<tiles::ws64x128, k_contiguous, k_contiguous, work_partition::stream>("ws64x128 stream-K")};
