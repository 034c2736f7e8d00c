// Four consumers of 240 registers and a producer pass the 512 registers of 128 threads that a multiprocessor has.
//
// expect: tegula: the registers of producer and consumers pass those of a multiprocessor
// expect: registers_fit_the_pool<false,

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/warp_specialized/tile.hpp>

using namespace tegula;
using target = arch::sm_90a;

#ifdef TEGULA_CONTROL
constexpr int consumers = 3;
#else
constexpr int consumers = 4;
#endif

using tile = warp_specialized_tile<target, bfloat16, bfloat16, float, 64 * consumers, 64, 64, consumers,
                                   consumer_mode::cooperative, 1, 1, 3>;
static_assert(tile::check<1024>());
