/// Launches in a graph.
// targets: sm_80 gfx942

#include "test/gpu/graph_checks.hpp"

using namespace tegula;
using namespace tegula::test;
using operand_order::k_contiguous;
using operand_order::row_contiguous;

#if defined(__HIP__)
using target = arch::gfx942;
#else
using target = arch::sm_80;
#endif
using tile = gemm_tiles<target, bfloat16>::t64x64;
using kernel = gemm_kernels<tile, float, test_epilogue<float>::type>::aligned<k_contiguous, row_contiguous>;

static const bool added = add_graph<kernel, run_plain, k_contiguous, row_contiguous>("a graph of GEMM");
