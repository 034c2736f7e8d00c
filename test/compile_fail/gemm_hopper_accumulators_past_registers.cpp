// Ping-pong consumers have a whole tile each: 128 x 256 are 256 accumulators a thread, and 232 or 240 registers.
//
// expect: tegula: accumulators and 32 further registers do not fit the registers of a consumer thread
// expect: accumulators_fit_a_consumer<false, 256, 240>

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>

using namespace tegula;
using target = arch::sm_90a;

#ifdef TEGULA_CONTROL
constexpr auto mode = consumer_mode::cooperative;
#else
constexpr auto mode = consumer_mode::ping_pong;
#endif

using tile = warp_specialized_tile<target, bfloat16, bfloat16, float, 128, 256, 64, 2, mode, 1, 1, 3>;
static_assert(tile::check<1024>());
