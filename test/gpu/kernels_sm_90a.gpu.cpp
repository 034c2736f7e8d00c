/// A few kernels that compile soon; all_kernels/ has the others.
// targets: sm_90a

#include "test/gpu/on_gpu.hpp"

using namespace tegula;
using namespace tegula::test;
using tiles = warp_specialized_tiles<arch::sm_90a, bfloat16>;
using operand_order::k_contiguous, operand_order::row_contiguous;

static const bool added[] = {
    add_warp_specialized<tiles::pair_wide, k_contiguous, row_contiguous>("pair_wide"),
    add_warp_specialized<tiles::rows_64, k_contiguous, k_contiguous, work_partition::stream>("rows_64 stream-K")};
