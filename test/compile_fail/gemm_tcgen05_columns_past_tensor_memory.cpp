// Two sets of accumulators share tensor memory, which is allocated in powers of two.
//
// expect: tegula: two sets of accumulators must fit tensor memory, in a power of two of columns from 32 on
// expect: accumulators_fit_tensor_memory<false, 384, 512>

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/gemm/tcgen05/tile.hpp>

using namespace tegula;
using target = arch::sm_100a;

#ifdef TEGULA_CONTROL
constexpr int columns = 128;
#else
constexpr int columns = 192;
#endif

using tile = tcgen05_tile<target, half, half, float, 128, columns, 64>;
static_assert(tile::check<4>());
