// gfx942 multiplies fp8 of the FNUZ flavour; OCP's would silently have become multiply-adds.
//
// expect: tegula: the target has no matrix instruction for these types

#include <tegula/mma.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using atom = default_atom<arch::gfx942, float8_e4m3_fnuz>;
using by_name = fma_atom<arch::gfx942, float8_e4m3, float8_e4m3, float>;
static_assert(by_name::k == 1);
#else
using atom = default_atom<arch::gfx942, float8_e4m3>;
#endif
static_assert(atom::k == 32);
