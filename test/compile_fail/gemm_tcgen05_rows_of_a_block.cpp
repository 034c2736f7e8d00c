// A thread of the epilogue has a row of the block's tile.
//
// expect: tegula: a block multiplies 128 rows, one for each thread of its epilogue
// expect: block_has_128_rows<false, 64>

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/tcgen05/tile.hpp>

using namespace tegula;
using target = arch::sm_100a;

#ifdef TEGULA_CONTROL
constexpr int rows = 256;
#else
constexpr int rows = 128;
#endif

using tile = tcgen05_tile<target, bfloat16, bfloat16, float, rows, 128, 64, 2>;
static_assert(tile::check<4>());
