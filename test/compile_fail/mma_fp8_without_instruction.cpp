// sm_80 and gfx90a multiply no fp8.
//
// expect: tegula: the target has no matrix instruction for these types

#include <tegula/mma.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
static_assert(default_atom<arch::sm_89, float8_e4m3>::k == 32);
static_assert(default_atom<arch::gfx1100, float>::k == 1); // 32 bits: multiply-adds
#elif 1
static_assert(default_atom<arch::sm_80, float8_e4m3>::k == 1 && default_atom<arch::gfx90a, float8_e4m3>::k == 1);
#endif
