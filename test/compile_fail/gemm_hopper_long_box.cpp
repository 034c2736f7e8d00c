// The 64 lines of k of a stage are one box, 512 would pass its limit.
//
// expect: tegula: a tensor copy moves at most 256 lines; use a smaller tile

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>

using namespace tegula;
using target = arch::sm_90a;

#ifdef TEGULA_CONTROL
constexpr index_t block_k = 64;
#else
constexpr index_t block_k = 512;
#endif

using tile =
    warp_specialized_tile<target, bfloat16, bfloat16, float, 64, 8, block_k, 1, consumer_mode::cooperative, 1, 1, 3>;
using operands = tile::operands<operand_order::row_contiguous, operand_order::k_contiguous>;
static_assert(operands::left_loads::lines > 0);
