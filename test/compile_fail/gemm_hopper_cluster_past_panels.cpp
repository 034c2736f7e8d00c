// B with rows of n contiguous lies in panels of 8 columns at least: 8 columns cannot be shared by two blocks.
//
// expect: tegula: the blocks of a cluster share an operand in parts of whole swizzle patterns

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>

using namespace tegula;
using target = arch::sm_90a;

#ifdef TEGULA_CONTROL
constexpr index_t columns = 128;
#else
constexpr index_t columns = 8;
#endif

using tile =
    warp_specialized_tile<target, bfloat16, bfloat16, float, 128, columns, 64, 2, consumer_mode::cooperative, 2, 1, 3>;
using operands = tile::operands<operand_order::k_contiguous, operand_order::row_contiguous>;
static_assert(operands::right_loads::lines > 0);
