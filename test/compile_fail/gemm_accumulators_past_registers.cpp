// 256 x 256 accumulators in four waves of 32 lanes are 512 a lane.
//
// expect: tegula: the accumulators of the tile do not fit the registers of a lane; use a smaller tile or more waves
// expect: accumulators_fit_the_registers<false, 512

#include <tegula/gemm.hpp>

using namespace tegula;
using target = arch::gfx1201;

#ifdef TEGULA_CONTROL
constexpr int waves = 4;
#else
constexpr int waves = 2;
#endif

using tile = gemm_tile<target, default_atom<target, bfloat16>, 256, 256, 32, waves, waves>;
static_assert(sizeof(tile) > 0 && tile::check<operand_order::k_contiguous, operand_order::k_contiguous>());
