// A ring of one stage cannot load ahead.
//
// expect: tegula: the multistage schedule needs a ring of at least two stages

#include <tegula/gemm.hpp>

using namespace tegula;
using target = arch::gfx942;

#ifdef TEGULA_CONTROL
constexpr int stages = 2;
#else
constexpr int stages = 1;
#endif

using tile = gemm_tile<target, default_atom<target, bfloat16>, 64, 64, 32, 2, 2, stages>;
static_assert(tile::stages > 0);
