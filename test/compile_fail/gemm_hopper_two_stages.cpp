// A stage is read, one has arrived and one is on its way.
//
// expect: tegula: a persistent GEMM needs at least 3 stages
// expect: enough_stages<false, 2>

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>

using namespace tegula;
using target = arch::sm_90a;

#ifdef TEGULA_CONTROL
constexpr int stages = 3;
#else
constexpr int stages = 2;
#endif

using tile =
    warp_specialized_tile<target, bfloat16, bfloat16, float, 128, 128, 64, 2, consumer_mode::cooperative, 1, 1, stages>;
static_assert(tile::check<1024>());
