// sm_103a multiplies no integers in tensor memory.
//
// expect: tegula: the target has no tcgen05.mma of these types and this shape

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/mma/tcgen05.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
using target = arch::sm_100a;
#else
using target = arch::sm_103a;
#endif

static_assert(tcgen05_atom<target, std::int8_t, std::int8_t, std::int32_t, 128, 64>::k == 32);
