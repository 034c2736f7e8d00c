// Five stages of 48 KB take more than a block's 227 KB.
//
// expect: tegula: the stages and the staged output do not fit the target's shared memory
// expect: stages_fit_shared_memory<false,

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>

using namespace tegula;
using target = arch::sm_90a;

#ifdef TEGULA_CONTROL
constexpr int stages = 4;
#else
constexpr int stages = 5;
#endif

using tile =
    warp_specialized_tile<target, bfloat16, bfloat16, float, 128, 256, 64, 2, consumer_mode::cooperative, 1, 1, stages>;
using kernel = warp_specialized_gemm<tile, operand_order::k_contiguous, operand_order::k_contiguous, float,
                                     epilogue::none, output_store::tensor_copies>;
static_assert(kernel::shared_bytes > 0);
