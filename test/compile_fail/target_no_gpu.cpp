// A size where a GPU is expected.
//
// a beginner's mistake
// expect: tegula: this type is no target; name a GPU of tegula/arch/target.hpp: arch::gfx942, arch::sm_90a ...

#include <tegula/tegula.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using target = arch::sm_80;
#else
struct target
{};
#endif

using tile = coalesced<target, float, 16, 64, 4>;
static_assert(tile::num_registers > 0);
