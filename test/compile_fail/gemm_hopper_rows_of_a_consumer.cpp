// Each cooperative consumer has rows of 64.
//
// expect: tegula: the rows that consumers share must be a multiple of 64 for each of them
// expect: rows_are_whole_warpgroups<false, 192, 2>

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>

using namespace tegula;
using target = arch::sm_90a;

#ifdef TEGULA_CONTROL
constexpr index_t rows = 256;
#else
constexpr index_t rows = 192;
#endif

using tile =
    warp_specialized_tile<target, bfloat16, bfloat16, float, rows, 64, 64, 2, consumer_mode::cooperative, 1, 1, 3>;
static_assert(tile::check<1024>());
