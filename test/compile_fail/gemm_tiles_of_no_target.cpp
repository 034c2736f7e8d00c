// Tiles for a type that is no GPU.
//
// expect: tegula: this type is no target; name a GPU of tegula/arch/target.hpp: arch::gfx942, arch::sm_90a ...

#include <tegula/tegula.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using tiles = gemm_tiles<arch::sm_80, half>;
#else
using tiles = gemm_tiles<half, arch::sm_80>;
#endif

static_assert(tiles::t64x64::block_m == 64);
